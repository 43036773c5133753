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

/** As the server tells it at `/live`. */
interface LiveState {
  readonly run_id: string;
  readonly share: number | null;
  readonly words: string;
  readonly at_work: readonly { readonly unit: string; readonly phase: string }[];
}

/**
 * Keeps the bar of the run under way up to date, on a page that has a place for it: `data-live` holds the id of the run
 * that the page is about, or nothing for any. The main part is read again when a run begins or ends.
 */
function followRun(): void {
  const wanted = document.querySelector<HTMLElement>('[data-live]')?.dataset.live;
  if (wanted === undefined) return;
  const isOurs = (run: string | null): boolean => wanted === '' || run === null || run === wanted;
  const shown = (): string | undefined => document.querySelector<HTMLElement>('[data-run]')?.dataset.run;
  let askedFor: string | undefined;
  const events = new EventSource('/live');
  events.addEventListener('progress', ({ data }: MessageEvent<string>) => {
    const state = JSON.parse(data) as LiveState;
    if (!isOurs(state.run_id)) return;
    if (shown() === state.run_id) drawState(state);
    else if (askedFor !== state.run_id) {
      askedFor = state.run_id;
      void readAgain();
    }
  });
  events.addEventListener('ended', ({ data }: MessageEvent<string>) => {
    const { run_id } = JSON.parse(data) as { readonly run_id: string | null };
    if (isOurs(run_id) && shown() !== undefined) void readAgain();
  });
}

function drawState({ share, words, at_work }: LiveState): void {
  const bar = document.querySelector<HTMLProgressElement>('[data-bar]');
  if (share === null) bar?.removeAttribute('value');
  else bar?.setAttribute('value', String(share));
  bar?.setAttribute('aria-valuetext', words);
  const text = document.querySelector('[data-words]');
  if (text) text.textContent = words;
  const units = at_work.map(({ unit, phase }) => {
    const item = document.createElement('li');
    item.textContent = `${unit}: ${phase}`;
    return item;
  });
  document.querySelector('[data-units]')?.replaceChildren(...units);
}

const PENDING_MS = 3000;

/** Reads the page again while figures of it are still being read. */
function awaitFigures(): void {
  if (document.querySelector('[data-pending]') === null) return;
  setTimeout(() => void readAgain().then(awaitFigures), PENDING_MS);
}

async function readAgain(): Promise<void> {
  // It would take away the list from which a person chooses.
  while (document.querySelector('main select:focus') !== null)
    await new Promise((go) => setTimeout(go, PENDING_MS));
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const main = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
  if (main) document.querySelector('main')?.replaceChildren(...main.childNodes);
}
