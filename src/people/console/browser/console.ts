import { awaitFigures, followRun } from './live-run.ts';

/** What the pages do beyond links and forms; each works without it. */
document.documentElement.classList.add('with-script');
followRun();
awaitFigures();

const search = document.querySelector<HTMLInputElement>('input[data-search]');
document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  const isTyping =
    target instanceof HTMLElement && target.closest('input, select, textarea, .cm-editor') !== null;
  if (key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search?.focus();
});

const field = document.querySelector<HTMLTextAreaElement>('textarea[data-catalogue]');
if (field) {
  const [label = null] = field.labels;
  const { editSql } = await import('./editor.ts');
  editSql(field, label, document.querySelector<HTMLElement>('#sql-keys'));
}
