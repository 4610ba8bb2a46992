// Sets the colour scheme that the reader has chosen before anything is painted; the menu in the footer changes it.
// Without a choice or without this script, pages follow the system. Not a module, because modules run after the first
// paint.
(() => {
  const NAME = 'perch-theme';
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');

  function chosen() {
    try {
      const theme = localStorage.getItem(NAME);
      return theme === 'light' || theme === 'dark' ? theme : null;
    } catch {
      // A browser may refuse access to storage.
      return null;
    }
  }

  function apply(theme) {
    const scheme = theme ?? (system.matches ? 'dark' : 'light');
    root.dataset.scheme = scheme;
    if (theme === null) delete root.dataset.theme;
    else root.dataset.theme = theme;
    // Pictures with two variants follow the system's scheme, not the page's, so their media queries are replaced.
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
        // Without storage, the choice lasts until the reader leaves the page.
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
