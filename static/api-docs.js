// Swagger's own pages are light unless told otherwise; ours follow the reader's system, or choice.
const isDark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  const { theme } = document.documentElement.dataset;
  document.documentElement.classList.toggle("dark-mode", theme ? theme === "dark" : isDark.matches);
};
isDark.addEventListener("change", follow);
document.addEventListener("theme", follow);
follow();
