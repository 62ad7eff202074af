// Swagger's own pages are light unless told otherwise; ours follow the reader's system.
const isDark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", isDark.matches);
isDark.addEventListener("change", follow);
follow();
