import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { keepSecret } from '../../../core/secrets/redact.ts';
import { writeAccount } from '../../../etl/project/settings/account/write-account.ts';
import type { CrawlFolderSettings } from '../../../etl/project/settings/settings.ts';
import { ServiceAddress, Token } from '../../../etl/project/settings/settings-file.ts';
import { reachService } from '../../operations/doctor/examine-service.ts';
import { canConnect, readOffered } from '../page-parts/website/connecting.ts';
import { connectForm } from '../page-parts/website/website-forms.ts';
import { asUsage } from './as-usage.ts';
import type { ConsoleForm, FormContext } from './console-form.ts';

/** Time for the service to answer, because a person waits. */
const PATIENCE_MS = 20_000;
const RUN_PATIENCE_MS = 5000;

/** Tests an account, then shows its projects. The token is kept in memory only. */
const CONNECT_FORM: ConsoleForm = {
  path: '/connect',
  failed: 'The account was not connected',
  // Without what else may be typed there, such as a password.
  audit: ({ form }) => `try an account of ${URL.parse(form.get('base_url') ?? '')?.host ?? 'no address'}`,
  async act({ form, session }, { settings, isOwners, accounts }, signal) {
    requireConnecting(isOwners, settings);
    const accessToken = (form.get('token') ?? '').trim();
    keepSecret(accessToken);
    const address = ServiceAddress.safeParse((form.get('base_url') ?? '').trim());
    if (!address.success) throw wrong('address of the service', address.error.issues);
    const token = Token.safeParse(accessToken);
    if (accessToken === '' || !token.success) throw wrong('access token', token.error?.issues ?? []);
    const baseUrl = address.data.replace(/\/+$/, '');
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      await reachService(baseUrl, patience);
      await readOffered({ baseUrl, accessToken }, patience);
    } catch (error) {
      throw asUsage(error);
    }
    accounts.keep(session.subject, { baseUrl, accessToken });
    return '/connect';
  },
  again: ({ form, session }) => connectForm(session.csrf, form.get('base_url') ?? ''),
};

/** Writes the account with the chosen projects, and starts the first run. */
const CONNECT_PROJECTS_FORM: ConsoleForm = {
  path: '/connect/projects',
  failed: 'The account was not saved',
  audit: () => 'connect an account',
  async act({ form, session }, { settings, isOwners, accounts, actions }) {
    requireConnecting(isOwners, settings);
    const account = accounts.find(session.subject);
    if (account === null)
      throw new CrawlhouseError('usage', 'the account was typed more than ten minutes ago', {
        hint: 'go to /connect, and type its address and token again',
      });
    const chosen = form.getAll('project');
    const projects = form.get('all') === 'on' ? 'all' : chosen;
    if (projects.length === 0)
      throw new CrawlhouseError('usage', 'no project is chosen', {
        hint: 'go back, and choose the projects to load',
      });
    const written = { base_url: account.baseUrl, access_token: account.accessToken, projects } as const;
    await writeAccount(settings.projectDir, written);
    // The pages of this console show the account without a restart.
    Object.assign(settings, written);
    accounts.forget(session.subject);
    const id = actions.start({ action: 'run', pipelines: [], projects: [], crawls: [] }, session.subject);
    const run = await actions.runSoon(id, RUN_PATIENCE_MS);
    return run === null ? `/do/actions/${id}` : `/runs/${encodeURIComponent(run)}`;
  },
};

export const CONNECT_FORMS: readonly ConsoleForm[] = [CONNECT_FORM, CONNECT_PROJECTS_FORM];

function requireConnecting(isOwners: FormContext['isOwners'], settings: CrawlFolderSettings): void {
  if (canConnect({ isOwners }, settings)) return;
  throw new CrawlhouseError('usage', 'this console cannot connect an account', {
    hint: 'as the owner of this machine, use a project folder with neither an account nor crawls; or set base_url and CRAWLHOUSE_ACCESS_TOKEN',
  });
}

function wrong(what: string, [issue]: readonly { readonly message: string }[]): CrawlhouseError {
  return new CrawlhouseError('usage', `${what}: ${issue?.message ?? 'a token is expected'}`, {
    hint: 'correct it, then try again',
  });
}
