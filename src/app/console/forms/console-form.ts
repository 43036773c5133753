import type { Readable } from 'node:stream';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Html } from '../../../core/text/html.ts';
import type { QuestionSettings } from '../../../etl/pipeline/transform/tests/compile-questions.ts';
import type { AlertSettings } from '../../../etl/project/settings/alert-settings.ts';
import type { CrawlFolderSettings } from '../../../etl/project/settings/settings.ts';
import type { TicketSender } from '../../operations/alert/send-ticket.ts';
import type { OfferedAccounts } from '../access/offered-accounts.ts';
import type { SignedIn } from '../access/sessions.ts';
import type { SharedLinks } from '../access/shared-links.ts';
import type { Actions } from '../actions/actions.ts';
import type { Readers } from '../readers/readers.ts';

/** A file that is still being received. */
export interface SentFile {
  /** The name on the person's machine; it may be a path. */
  readonly name: string;
  readonly content: Readable;
  /** Whether it is larger than its form accepts. */
  readonly isCut: () => boolean;
}

/** The form that a person submitted. */
export interface SentForm {
  readonly form: URLSearchParams;
  /** The named parts of the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly session: SignedIn;
  /** The files after the fields of a form that accepts them. Each is read to its end before the next one. */
  readonly files?: AsyncIterable<SentFile> | undefined;
  /** Aborts when the console ends or the person leaves. For long work that changes nothing. */
  readonly left: AbortSignal;
}

interface FormSettings extends QuestionSettings, TicketSender, CrawlFolderSettings {
  readonly alerts: AlertSettings;
  readonly console_url?: string | undefined;
}

export interface FormContext {
  readonly settings: FormSettings;
  readonly readers: Readers;
  readonly actions: Actions;
  readonly shared: SharedLinks;
  /** Whether people may change anything here. */
  readonly mayAct: boolean;
  /** Whether only the owner of this machine can sign in. */
  readonly isOwners: boolean;
  readonly accounts: OfferedAccounts;
}

/** The answer to a form that changes nothing. */
export interface FormPage {
  readonly title: string;
  readonly content: Html;
}

/**
 * A change that people make by a form. The server checks the audience of its path (access/audiences.ts) and the form's
 * token, and writes the audit.
 */
export interface ConsoleForm {
  /** In the syntax of fastify, such as `/projects/:project_id/notes`. It accepts only POST. */
  readonly path: string;
  /** Maximum bytes of the files that the form accepts; absent: it accepts none. */
  readonly fileBytes?: number;
  /** The heading if the change fails, such as "The note was not written". */
  readonly failed: string;
  /** The entry in the audit; null: `act` writes its own. */
  readonly audit: ((sent: SentForm) => string) | null;
  /**
   * Makes the change.
   *
   * @returns the address of the page to show next, or the page itself
   * @throws NotFound for an unknown name; CrawlhouseError: `usage` answers with status 400, `locked` with 409
   */
  readonly act: (sent: SentForm, context: FormContext, signal: AbortSignal) => Promise<string | FormPage>;
  /** Returns the form with the submitted values, shown below the error if the change fails, or null. */
  readonly again?: (
    sent: SentForm,
    error: CrawlhouseError,
    context: FormContext,
  ) => Html | Promise<Html | null>;
}
