// Makes GraphiQL's editors usable with the keyboard and screen readers (WCAG 2.1.2, 4.1.2).

const NAMES = {
  queryEditor: 'Query',
  variableEditor: 'Variables',
  headerEditor: 'Headers',
  responseEditor: 'Response',
};

/** Leaves the key to the browser, which moves the focus. */
const LEAVES = { Tab: false, 'Shift-Tab': false };

const known = new WeakSet();

/** Tab indents in an editor. After Escape it leaves the editor, until another key is pressed. */
function leaveAfterEscape(editor) {
  editor.on('keydown', (_, event) => {
    if (event.key === 'Tab' || event.key === 'Shift') return;
    editor.removeKeyMap(LEAVES);
    if (event.key === 'Escape' && !editor.state.completionActive) editor.addKeyMap(LEAVES);
  });
  editor.on('blur', () => editor.removeKeyMap(LEAVES));
}

function nameParts(editor, name, hintId) {
  const input = editor.getInputField();
  input.setAttribute('aria-label', name);
  input.setAttribute('aria-describedby', hintId);
  const scroller = editor.getScrollerElement();
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'group');
  scroller.setAttribute('aria-label', `${name}, scrollable`);
}

/** Sets an attribute that the style sheet shows, so that GraphiQL's own nodes stay unchanged. */
function hintWhileEmpty(editor) {
  const window = editor.getWrapperElement().parentElement;
  const show = () => {
    if (editor.getValue() === '')
      window.dataset.hint = 'Run the query with the button or Ctrl+Enter. The answer appears here.';
    else delete window.dataset.hint;
  };
  editor.on('change', show);
  show();
}

/**
 * Prepares each editor once. `context`: GraphiQL's current editors; `hintId`: the element that says how to leave one.
 */
export function makeReady(context, hintId, onQueryEditor) {
  for (const [part, name] of Object.entries(NAMES)) {
    const editor = context[part];
    if (!editor || known.has(editor)) continue;
    known.add(editor);
    nameParts(editor, name, hintId);
    if (part === 'responseEditor') {
      editor.addKeyMap(LEAVES);
      hintWhileEmpty(editor);
    }
    if (part !== 'responseEditor') leaveAfterEscape(editor);
    if (part === 'queryEditor') onQueryEditor(editor);
  }
}
