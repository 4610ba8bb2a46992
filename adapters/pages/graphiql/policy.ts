/**
 * The only `<style>` that GraphiQL writes itself: react-remove-scroll adds it while a dialog or menu is open. Its text
 * is always the same here, because the page does not scroll. All other styling goes through the CSSOM, to which a CSP
 * does not apply. A test opens the dialogs and fails on any violation, so a change in the package is noticed (U43).
 */
const DIALOG_STYLE = 'sha256-Y/huXlwoYkVyQlxwSVcCi1RCDGDCSVBzDt0hYP9qlTc=';

/** Content-Security-Policy of the page: own scripts and styles, no eval; icons are inside the stylesheet. */
export const GRAPHIQL_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${DIALOG_STYLE}'`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
