import { basename } from 'node:path';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesText } from '../../../core/text/amounts.ts';
import type { Actions } from '../actions/actions.ts';
import { checkUpload } from '../actions/check-upload.ts';
import type { ReceivedFile } from '../actions/received-files.ts';
import { MOST_FILE_BYTES, type StagedFiles } from '../actions/staged-files.ts';
import { readUpload } from '../actions/upload-action.ts';
import type { ConsoleForm, SentFile, SentForm } from './console-form.ts';

/**
 * Stores uploaded files one after the other, and continues at the page that shows how the only file is read, or at the
 * results.
 */
export const UPLOAD_FORM: ConsoleForm = {
  path: '/uploads',
  fileBytes: MOST_FILE_BYTES,
  failed: 'The file was not uploaded',
  // Each file has its own.
  audit: null,
  async act(sent, { actions }, signal) {
    const taken: Taken[] = [];
    try {
      for await (const file of sent.files ?? []) {
        // A form without a chosen file has one without a name.
        if (!file.name) file.content.resume();
        else taken.push(await take(file, sent, actions, signal));
        // After a file that did not arrive in full, no other one does.
        if (taken.at(-1)?.isLast === true) break;
      }
    } catch (thrown) {
      if (taken.length === 0 || !(thrown instanceof CrawlhouseError)) throw thrown;
      taken.push({ name: '', error: thrown });
    }
    const [only, ...others] = taken;
    if (only === undefined)
      throw new CrawlhouseError('usage', 'no file was chosen', { hint: 'choose a file, then upload it' });
    actions.received.keep(sent.session.subject, taken.map(receivedFile));
    if (others.length > 0) return '/uploads';
    if (only.error !== undefined) throw only.error;
    return only.address;
  },
};

type Taken =
  | { readonly name: string; readonly address: string; readonly error?: undefined; readonly isLast?: false }
  | { readonly name: string; readonly error: CrawlhouseError; readonly isLast?: boolean };

function receivedFile({ name, ...taken }: Taken): ReceivedFile {
  const { error } = taken;
  if (error === undefined) return { name, address: taken.address, problem: null, hint: null };
  return { name, address: null, problem: error.message, hint: error.hint ?? null };
}

/** Stores and checks one file, with its own entry in the audit. */
async function take(
  { name: given, ...file }: SentFile,
  { form, session, left }: SentForm,
  { audit, staged }: Actions,
  signal: AbortSignal,
): Promise<Taken> {
  const kind = form.get('kind') === 'demand' ? 'demand' : 'logs';
  const name = basename(given);
  const entry = audit.begin(session.subject, `upload ${kind} ${name}`);
  let stored: string | null = null;
  try {
    stored = await receive(staged, { name: given, ...file }, signal);
    await checkUpload(kind, { name: basename(stored), path: staged.pathOf(stored) }, left);
    audit.end(entry, { outcome: '0', message: null, run_id: null });
    const site = (form.get('site') ?? '').trim();
    const query = new URLSearchParams({ action: `${kind}-add`, file: stored, site });
    return { name, address: `/uploads/read?${query}` };
  } catch (thrown) {
    if (stored !== null) await staged.remove(stored);
    const error = toCrawlhouseError(thrown);
    audit.end(entry, { outcome: String(error.exitCode), message: error.message, run_id: null });
    if (!(thrown instanceof CrawlhouseError)) throw thrown;
    return { name, error, isLast: stored === null };
  }
}

/** @throws CrawlhouseError `usage` for a file that is too large, or that arrives only in part */
async function receive(
  staged: StagedFiles,
  { name, content, isCut }: SentFile,
  signal: AbortSignal,
): Promise<string> {
  content.once('limit', () => content.destroy(new Error('the file is too large')));
  try {
    return await staged.receive(name, content, signal);
  } catch (cause) {
    signal.throwIfAborted();
    if (isCut())
      throw new CrawlhouseError('usage', `the file is larger than ${bytesText(MOST_FILE_BYTES)}`, {
        cause,
        hint: 'split the file, or add it on the machine that runs crawlhouse: crawlhouse logs add FILE',
      });
    if (!content.destroyed || cause instanceof CrawlhouseError) throw cause;
    throw new CrawlhouseError('usage', 'the upload was cut off', { cause, hint: 'upload the file again' });
  }
}

/** Adds an uploaded file or removes an added file, then shows the page of the action. */
export const ADD_FORM: ConsoleForm = {
  path: '/uploads/add',
  failed: 'Nothing was started',
  audit: null,
  async act({ form, session }, { actions }) {
    return `/do/actions/${actions.start(readUpload(form), session.subject)}`;
  },
};
