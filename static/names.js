// Lets a long name of a run or a team break after _ . and /, and not in the middle of a word or a
// number. The text stays the same for search and copying.

const NAMED = "h1, th[scope=row], th.name, thead th.num, .lead b, .subtitle b, td.team, .eyebrow a";
const LONG = /\S{13,}/;

for (const element of document.querySelectorAll(NAMED)) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) if (LONG.test(texts.currentNode.data)) found.push(texts.currentNode);
  found.forEach(allowBreaks);
}

function allowBreaks(text) {
  const parts = text.data.split(/(?<=[_./])(?=[^\s\d])/);
  text.replaceWith(...parts.flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part])));
}
