// A button that copies the link beside it. Some pages have no link at the moment.

const link = document.getElementById("link");
const copy = document.getElementById("copy");

if (copy) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    link.select();
    try {
      await navigator.clipboard.writeText(link.value);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Press Ctrl+C"; // the link is selected
    }
  });
}
