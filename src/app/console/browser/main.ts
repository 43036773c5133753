/** Enhances the pages beyond links and forms. Each page works without it. */
document.documentElement.classList.add('with-script');
followRun();
awaitFigures();
showLocalTimes();
acceptDrops();
showTab();

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
 * Forms of choices submit themselves. In a closed list, each arrow and letter is a change; then nothing is submitted
 * before Enter or the form's button, which appears (WCAG 3.2.2).
 */
let isTried = false;
const sending = (target: EventTarget | null): HTMLFormElement | null =>
  target instanceof HTMLSelectElement && target.form?.dataset.sends !== undefined ? target.form : null;
document.addEventListener('pointerdown', () => {
  isTried = false;
});
document.addEventListener('keydown', (event) => {
  const { target, key, altKey } = event;
  // These keys open or close a list.
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

const field = document.querySelector<HTMLTextAreaElement>('textarea[data-catalog]');
if (field) {
  const [label = null] = field.labels;
  const { editSql } = await import('./editor.ts');
  editSql(field, label, document.querySelector<HTMLElement>('#sql-keys'));
}

/** An event of the server at `/live`. */
interface LiveState {
  readonly run_id: string;
  readonly share: number | null;
  readonly words: string;
  readonly at_work: readonly { readonly unit: string; readonly phase: string }[];
}

/**
 * Updates the bar of the current run on pages that contain `data-live`: the id of the run that the page is about, or
 * empty for any run. The main part is loaded again when a run begins or ends.
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

/** Shows the times of `data-local` in the person's time zone, and names the zone. */
function showLocalTimes(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local]')) {
    const at = new Date(time.dateTime);
    time.title = `${time.textContent} UTC`;
    const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
    time.textContent = local.toISOString().slice(0, 16).replace('T', ' ');
  }
  for (const zone of document.querySelectorAll('[data-zone]')) zone.textContent = timeZone;
  const own = document.querySelector<HTMLInputElement>('input[data-own-zone]');
  if (own?.value === 'UTC') own.value = timeZone;
}

/** Chooses files in a form with `data-drop` when they are dropped on it. */
function acceptDrops(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-drop]');
  const field = form?.querySelector<HTMLInputElement>('input[type="file"]');
  if (!form || !field) return;
  const mark = (isOver: boolean) => (event: DragEvent) => {
    event.preventDefault();
    form.classList.toggle('over', isOver);
  };
  form.addEventListener('dragover', mark(true));
  form.addEventListener('dragleave', mark(false));
  form.addEventListener('drop', (event) => {
    mark(false)(event);
    if (event.dataTransfer !== null && event.dataTransfer.files.length > 0)
      field.files = event.dataTransfer.files;
  });
}

/** Scrolls to the current tab, because the tabs are a single scrolling row on a phone. */
function showTab(): void {
  const tab = document.querySelector('.tabs [aria-current]');
  tab?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

const PENDING_MS = 3000;

/** Loads the page again while some of its figures are pending. */
function awaitFigures(): void {
  if (document.querySelector('[data-pending]') === null) return;
  setTimeout(() => void readAgain().then(awaitFigures), PENDING_MS);
}

async function readAgain(): Promise<void> {
  // A reload would close the list that the user is choosing from.
  while (document.querySelector('main select:focus') !== null)
    await new Promise((go) => setTimeout(go, PENDING_MS));
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const main = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
  const focused = document.activeElement?.id ?? '';
  if (main) document.querySelector('main')?.replaceChildren(...main.childNodes);
  showTab();
  if (focused !== '') document.getElementById(focused)?.focus();
}
