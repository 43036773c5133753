import {
  autocompletion,
  type Completion,
  type CompletionSource,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { PostgreSQL, SQLDialect, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, type Extension, Prec } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A table in `/ask/catalog.json`. */
interface Table {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly comment: string | null;
  }[];
}

/** DuckDB's parser derives from that of PostgreSQL. */
const DUCKDB = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: `${PostgreSQL.spec.keywords} qualify pivot unpivot summarize describe exclude replace asof anti semi positional`,
});

/** The colors of the page, which support light and dark mode. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--link)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
]);

const LOOK = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--page)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    fontSize: '0.87rem',
  },
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '2px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, monospace',
    lineHeight: '1.5',
    minHeight: '11rem',
    maxHeight: '60vh',
  },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--soft)' },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--side)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '.cm-tooltip.cm-completionInfo': { maxWidth: 'min(24rem, 80vw)', padding: '0.4rem 0.6rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--page)', backgroundColor: 'var(--link)' },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal' },
});

/** Replaces the textarea by an editor; the textarea stays the field of the form. */
export function editSql(
  field: HTMLTextAreaElement,
  label: HTMLElement | null,
  help: HTMLElement | null,
): void {
  const { form } = field;
  // In a shadow root, the editor uses style sheets of its own: the page allows no style element.
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const language = new Compartment();
  const run = (): boolean => {
    form?.requestSubmit();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    doc: field.value,
    extensions: [
      history(),
      highlightSpecialChars(),
      bracketMatching(),
      autocompletion({ icons: false }),
      language.of(sql({ dialect: DUCKDB, upperCaseKeywords: true })),
      syntaxHighlighting(COLOURS),
      LOOK,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': label?.textContent ?? 'SQL',
        'aria-description': help?.textContent ?? '',
        spellcheck: 'false',
      }),
      placeholder('SELECT … FROM mart.pages'),
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) field.value = state.doc.toString();
      }),
    ],
  });
  field.before(host);
  field.hidden = true;
  // A hidden field cannot report that it is empty.
  field.required = false;
  if (help) help.hidden = false;
  label?.addEventListener('click', () => view.focus());
  void known(field.dataset.catalog ?? '').then((extension) => {
    view.dispatch({ effects: language.reconfigure(extension) });
  });
}

/** Returns the language with the tables and columns of the warehouse; without them if nothing is published. */
async function known(address: string): Promise<Extension> {
  const response = await fetch(address);
  const tables = response.ok ? ((await response.json()) as { readonly tables: readonly Table[] }).tables : [];
  const schema: Record<string, Record<string, Completion[]>> = {};
  for (const { name, columns } of tables) {
    const [first = '', table = ''] = name.split('.');
    schema[first] ??= {};
    schema[first][table] = columns.map(completion);
  }
  const support = sql({ dialect: DUCKDB, upperCaseKeywords: true, schema, defaultSchema: 'mart' });
  return [support, support.language.data.of({ autocomplete: columnsOf(tables) })];
}

/** Returns columns of the tables in the SQL; after a dot, the language itself completes them. */
function columnsOf(tables: readonly Table[]): CompletionSource {
  return (context) => {
    const { state, explicit } = context;
    const word = context.matchBefore(/[.\w]*/);
    if (word === null || word.text.includes('.') || (word.text === '' && !explicit)) return null;
    const text = state.doc.toString().toLowerCase();
    const named = tables.filter(({ name }) => text.includes(name.toLowerCase()));
    return {
      from: word.from,
      options: named.flatMap(({ columns }) => columns.map(completion)),
      validFor: /^\w*$/,
    };
  };
}

function completion({ name, type, comment }: Table['columns'][number]): Completion {
  return { label: name, type: 'property', detail: type, ...(comment === null ? {} : { info: comment }) };
}
