// The colour scheme that the reader has chosen, set before anything is painted; the menu in the footer changes it. Without a choice, and
// without this script, pages follow the system. No module: those run after the first paint.
(() => {
  const NAME = 'perch-theme';
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');

  function chosen() {
    try {
      const theme = localStorage.getItem(NAME);
      return theme === 'light' || theme === 'dark' ? theme : null;
    } catch {
      // A browser may refuse to keep anything.
      return null;
    }
  }

  function apply(theme) {
    const scheme = theme ?? (system.matches ? 'dark' : 'light');
    root.dataset.scheme = scheme;
    if (theme === null) delete root.dataset.theme;
    else root.dataset.theme = theme;
    // Pictures that exist in two schemes ask the system, not the page.
    for (const source of document.querySelectorAll('source[data-scheme], source[media*="prefers-color-scheme"]')) {
      source.dataset.scheme ??= source.media.includes('dark') ? 'dark' : 'light';
      source.media = source.dataset.scheme === scheme ? 'all' : 'not all';
    }
  }

  let theme = chosen();
  apply(theme);
  system.addEventListener('change', () => apply(theme));
  document.addEventListener('DOMContentLoaded', () => {
    apply(theme);
    const menu = document.getElementById('theme');
    if (menu === null) return;
    menu.value = theme ?? 'system';
    menu.closest('.theme').hidden = false;
    menu.addEventListener('change', () => {
      theme = menu.value === 'system' ? null : menu.value;
      apply(theme);
      try {
        if (theme === null) localStorage.removeItem(NAME);
        else localStorage.setItem(NAME, theme);
      } catch {
        // It holds until the page is left.
      }
    });
  });
  addEventListener('storage', ({ key }) => {
    if (key !== NAME) return;
    theme = chosen();
    apply(theme);
    const menu = document.getElementById('theme');
    if (menu !== null) menu.value = theme ?? 'system';
  });
})();
