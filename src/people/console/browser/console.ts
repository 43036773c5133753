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

/**
 * A form of choices sends itself. In a closed list each arrow and each letter is a change already: then nothing is sent
 * before Enter, or its button, which shows (WCAG 3.2.2).
 */
let isTried = false;
const sending = (target: EventTarget | null): HTMLFormElement | null =>
  target instanceof HTMLSelectElement && target.form?.dataset.sends !== undefined ? target.form : null;
document.addEventListener('pointerdown', () => {
  isTried = false;
});
document.addEventListener('keydown', (event) => {
  const { target, key, altKey } = event;
  // These open a list or close it.
  isTried = !altKey && !['Enter', ' ', 'F4'].includes(key);
  const form = sending(target);
  if (key !== 'Enter' || !form?.classList.contains('changed')) return;
  event.preventDefault();
  form.requestSubmit();
});
document.addEventListener('change', ({ target }) => {
  const form = sending(target);
  if (isTried) form?.classList.add('changed');
  else form?.requestSubmit();
});
window.addEventListener('pagehide', () => {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-sends]')) form.reset();
});

const field = document.querySelector<HTMLTextAreaElement>('textarea[data-catalogue]');
if (field) {
  const [label = null] = field.labels;
  const { editSql } = await import('./editor.ts');
  editSql(field, label, document.querySelector<HTMLElement>('#sql-keys'));
}
