import { ServiceClient } from '../../../client/http/service-client.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { keepSecret } from '../../../core/secrets/redact.ts';
import { DEFAULT_RETRY } from '../../../core/time/retry.ts';
import { reachService, seenBy } from '../../operations/doctor/examine-service.ts';
import { SettingsFile } from '../../settings/warehouse-setting.ts';
import { type Dialogue, type Problem, Questions } from '../dialogue.ts';
import { RefusedApplication, redirectAddress, type SignIn, signIn } from './sign-in.ts';

/** The address of a service and the credentials, as variables of `.env`. */
export type Account = Readonly<Record<`CRAWLHOUSE_${string}`, string>>;

/** One attempt only, because a user is waiting. */
const ONCE = { ...DEFAULT_RETRY, attempts: 1 };

const NEED: Problem = (answer) => (answer === '' ? 'an answer is expected' : undefined);

/** Opens the sign-in page; the browser returns to `port`. */
export interface Browser {
  readonly port: number;
  readonly show: SignIn['show'];
}

/** Asks for the account. Returns null if the user has none. */
export async function askAccount(
  dialogue: Dialogue,
  browser: Browser,
  signal: AbortSignal,
): Promise<Account | null> {
  using questions = new Questions(dialogue, signal);
  const say = (text: string): void => void dialogue.output.write(text);
  const baseUrl = await questions.ask(
    'Address of the service, such as https://service.example (Enter: no account, only crawl websites)',
    async (answer) => {
      if (answer === '') return undefined;
      return addressProblem(answer) ?? (await failure(() => reachService(trimmed(answer), questions.signal)));
    },
  );
  if (baseUrl === '') return null;
  say(
    '\n  1  an access token, from the settings panel of the service\n  2  sign in in the browser (OAuth2)\n',
  );
  const way = await questions.ask('How do you sign in? 1 or 2', (answer) =>
    ['1', '2'].includes(answer) ? undefined : '1 or 2 is expected',
  );
  if (way === '1') {
    const isRefused = (token: string) => failure(() => tryToken(baseUrl, token, questions.signal));
    const token = await questions.askSecret(
      'Access token',
      async (answer) => tokenProblem(answer) ?? (await isRefused(answer)),
    );
    return tokenAccount(baseUrl, token);
  }
  say(`The application must be registered with the redirect address ${redirectAddress(browser.port)}\n`);
  for (;;) {
    const clientId = await questions.ask('client_id of the application', NEED);
    const clientSecret = await questions.askSecret('client_secret', NEED);
    try {
      return await signedInAccount({ baseUrl, clientId, clientSecret }, browser, questions.signal);
    } catch (error) {
      if (!(error instanceof RefusedApplication)) throw error;
      say(`  ${error.message}\n`);
    }
  }
}

/**
 * Asks whether to use the shipped models. Without them, small runs are several times faster, but there is no `mart`.
 */
export async function askModels(dialogue: Dialogue, signal: AbortSignal): Promise<'all' | 'none'> {
  using questions = new Questions(dialogue, signal);
  const answer = await questions.ask(
    'Tables and questions for analysis (mart), or only the raw tables, which load faster? Enter for all, or none',
    (text) => (['', 'all', 'none'].includes(text) ? undefined : 'all or none is expected'),
  );
  return answer === 'none' ? 'none' : 'all';
}

/** Returns the message of the error; undefined if there is none. */
async function failure(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    const { kind, message } = toCrawlhouseError(thrown);
    if (kind === 'interrupted' || kind === 'fault') throw thrown;
    return message;
  }
}

async function tryToken(baseUrl: string, accessToken: string, signal: AbortSignal): Promise<void> {
  await using client = new ServiceClient({ baseUrl: trimmed(baseUrl), accessToken, retry: ONCE });
  await seenBy(client, signal);
}

const trimmed = (address: string): string => address.replace(/\/+$/, '');

export function tokenAccount(baseUrl: string, token: string): Account {
  keepSecret(token);
  const problem = addressProblem(baseUrl) ?? tokenProblem(token);
  if (problem !== undefined) throw new CrawlhouseError('usage', problem);
  return { CRAWLHOUSE_BASE_URL: baseUrl, CRAWLHOUSE_ACCESS_TOKEN: token };
}

/** Signs in; only the refresh token of the grant is kept. */
export async function signedInAccount(
  application: { readonly baseUrl: string; readonly clientId: string; readonly clientSecret: string },
  { port, show }: Browser,
  signal: AbortSignal,
): Promise<Account> {
  keepSecret(application.clientSecret);
  const problem = addressProblem(application.baseUrl);
  if (problem !== undefined) throw new CrawlhouseError('usage', problem);
  const { refreshToken } = await signIn({ application, port, show }, signal);
  return {
    CRAWLHOUSE_BASE_URL: application.baseUrl,
    CRAWLHOUSE_OAUTH_CLIENT_ID: application.clientId,
    CRAWLHOUSE_OAUTH_CLIENT_SECRET: application.clientSecret,
    CRAWLHOUSE_OAUTH_REFRESH_TOKEN: refreshToken,
  };
}

const addressProblem = (answer: string): string | undefined =>
  SettingsFile.shape.base_url.safeParse(answer).error?.issues[0]?.message;

const tokenProblem = (answer: string): string | undefined =>
  answer === ''
    ? 'a token is expected'
    : SettingsFile.shape.access_token.safeParse(answer).error?.issues[0]?.message;
