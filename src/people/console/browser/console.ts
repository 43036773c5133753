import { awaitFigures, followRun } from './live-run.ts';

/** What the pages do beyond links and forms; each works without it. */
document.documentElement.classList.add('with-script');
followRun();
awaitFigures();

const field = document.querySelector<HTMLTextAreaElement>('textarea[data-catalogue]');
if (field) {
  const [label = null] = field.labels;
  const { editSql } = await import('./editor.ts');
  editSql(field, label, document.querySelector<HTMLElement>('#sql-keys'));
}
