import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { hasRole, type Role, type SignedIn } from './sessions.ts';

/** Who may use a route. */
export interface Audience {
  /** The lowest role; null: also strangers. */
  readonly role: Role | null;
  /** What others cannot do, for the refusal. */
  readonly what?: string;
  /** Whether the actions of the console must be on (`console_actions`). */
  readonly acts?: true;
  /** Whether nobody but the owner of this machine may be able to sign in. This is no role: no setting gives it. */
  readonly alone?: true;
}

const STRANGER = { role: null } as const;
const VIEWER = { role: 'viewer' } as const;
const ANALYST = { role: 'analyst' } as const;
const SQL = { ...ANALYST, what: 'run SQL' } as const;
const OPERATOR = { role: 'operator' } as const;
/** Changes how people read the data, and nothing that is loaded. crawlhouse also sends tickets on, if the settings say so. */
const ANNOTATING = { role: 'analyst', acts: true } as const;
/** Starts work, sends requests, or changes what is crawled, loaded or scheduled. */
const ACTING = { role: 'operator', acts: true } as const;
/** Gives access to others, or takes it from accounts. */
const OWNER = { role: 'owner', acts: true } as const;
const ALONE = { ...OWNER, alone: true } as const;

/** Who may use each route of the console. The JSON of a page is for those who may open the page. */
export const AUDIENCES = {
  'GET /sign-in': STRANGER,
  'POST /sign-in': STRANGER,
  'GET /sign-in/oidc': STRANGER,
  'GET /sign-in/callback': STRANGER,
  'GET /assets/:name': STRANGER,
  'GET /shared/:name': STRANGER,
  'POST /sign-out': VIEWER,
  'GET /live': VIEWER,
  'GET /openapi.json': VIEWER,
  'GET /': VIEWER,
  'GET /projects': VIEWER,
  'GET /projects/:project_id': VIEWER,
  'GET /projects/:project_id/issues': VIEWER,
  'GET /projects/:project_id/pages': VIEWER,
  'GET /projects/:project_id/pages/download': VIEWER,
  'GET /projects/:project_id/tickets': VIEWER,
  'GET /projects/:project_id/url': VIEWER,
  'GET /projects/:project_id/structure': VIEWER,
  'GET /projects/:project_id/compare': VIEWER,
  'GET /projects/:project_id/migration': VIEWER,
  'GET /projects/:project_id/demand': VIEWER,
  'GET /projects/:project_id/segments': VIEWER,
  'GET /projects/:project_id/settings': VIEWER,
  'GET /projects/:project_id/report': VIEWER,
  'GET /projects/:project_id/workbook': VIEWER,
  'GET /crawls/:crawl_id': VIEWER,
  'GET /runs': VIEWER,
  'GET /runs/:run_id': VIEWER,
  'GET /units/*': VIEWER,
  'GET /search': VIEWER,
  'GET /operations': VIEWER,
  'GET /ask': VIEWER,
  'POST /ask': VIEWER,
  'GET /ask/download': VIEWER,
  'GET /schedules': VIEWER,
  'GET /crawling': VIEWER,
  'GET /ask/catalog.json': ANALYST,
  'GET /projects/:project_id/segments/count': ANALYST,
  'POST /projects/:project_id/segments/count': ANALYST,
  'POST /projects/:project_id/notes': ANNOTATING,
  'POST /projects/:project_id/tickets': ANNOTATING,
  'GET /audit': OPERATOR,
  'GET /links': OPERATOR,
  'GET /do/actions/:action_id': OPERATOR,
  'GET /do': ACTING,
  'GET /do/plan': ACTING,
  'POST /do/start': ACTING,
  'GET /start': ACTING,
  'POST /start': ACTING,
  'POST /crawling/pause': ACTING,
  'POST /crawling/resume': ACTING,
  'POST /crawling/stop': ACTING,
  'GET /schedules/:schedule': ACTING,
  'POST /schedules': ACTING,
  'POST /schedules/alerts/test': ACTING,
  'GET /uploads': ACTING,
  'POST /uploads': ACTING,
  'GET /uploads/read': ACTING,
  'POST /uploads/add': ACTING,
  'POST /projects/:project_id/segments': ACTING,
  'POST /projects/:project_id/settings': ACTING,
  'POST /projects/:project_id/settings/test': ACTING,
  'POST /links/:link_id/revoke': ACTING,
  // A question that no longer fits the models stops each run.
  'POST /ask/keep': ACTING,
  'POST /links': OWNER,
  'GET /connect': OWNER,
  'POST /connect': ALONE,
  'POST /connect/projects': ALONE,
  'POST /schedules/alerts': ALONE,
} as const satisfies Readonly<Record<string, Audience>>;
export type ConsoleRoute = keyof typeof AUDIENCES;

const BY_ROUTE: ReadonlyMap<string, Audience> = new Map(Object.entries(AUDIENCES));

/** Fields of an address or a form that need more than its route does: SQL of a person, and a test of a URL. */
export const FIELD_AUDIENCES: Readonly<Record<string, Audience>> = {
  sql: SQL,
  edit: SQL,
  kept: SQL,
  where: SQL,
  check: ANALYST,
  test: ACTING,
};

/** @param route method and path as they are registered, such as `GET /projects/:project_id.json` */
export function audienceOf(route: string): Audience | undefined {
  return BY_ROUTE.get(route) ?? BY_ROUTE.get(route.replace(/(?:(?<=\/)index)?\.json$/, ''));
}

export interface Visitor {
  readonly session: SignedIn;
  /** Whether the actions of the console are on. */
  readonly mayAct: boolean;
  /** Whether only the owner of this machine can sign in. */
  readonly isOwners: boolean;
}

/** Returns why a person does not belong to an audience; null if they do. */
export function whyNot(audience: Audience, { session, mayAct, isOwners }: Visitor): CrawlhouseError | null {
  const { role, what = 'do this', acts = false, alone = false } = audience;
  if (role === null) return null;
  if (!hasRole(session, role))
    return refused(
      `only ${role}s can ${what}`,
      `console_oidc.${role}s${role === 'analyst' ? ', formerly readers,' : ''} lists the ${role}s`,
    );
  if (acts && !mayAct)
    return refused('this console is read-only', 'set console_actions: true, then restart the console');
  if (alone && !isOwners)
    return refused(
      'only the owner of this machine can do this',
      'change crawlhouse.yaml or .env in the project folder',
    );
  return null;
}

function refused(message: string, hint: string): CrawlhouseError {
  return new CrawlhouseError('forbidden', message, { hint });
}
