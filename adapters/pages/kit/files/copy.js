// Adds a copy button to every block of code. Without this script the code can still be selected.

/** The code without additions such as prices. */
function codeOf(block) {
  const copy = block.cloneNode(true);
  for (const aside of copy.querySelectorAll('[data-aside]')) aside.remove();
  return copy.textContent;
}

for (const block of document.querySelectorAll('pre[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(codeOf(block));
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(block);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.after(button);
}
