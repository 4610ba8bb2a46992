// GraphiQL's editors for the keyboard and for screen readers (WCAG 2.1.2, 4.1.2).

const NAMES = {
  queryEditor: 'Query',
  variableEditor: 'Variables',
  headerEditor: 'Headers',
  responseEditor: 'Response',
};

/** Leaves the key to the browser, which moves the focus. */
const LEAVES = { Tab: false, 'Shift-Tab': false };

const known = new WeakSet();

/** In an editor Tab indents: after Escape it leaves, until another key is pressed. */
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

/** An attribute that the style sheet shows: GraphiQL's own nodes are not changed. */
function hintWhileEmpty(editor) {
  const window = editor.getWrapperElement().parentElement;
  const show = () => {
    if (editor.getValue() === '')
      window.dataset.hint = 'Run the query with the button, or with Ctrl+Enter: the answer appears here.';
    else delete window.dataset.hint;
  };
  editor.on('change', show);
  show();
}

/** `context`: GraphiQL's editors as they are now; each is made ready once. `hintId`: the element that says how to leave. */
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
