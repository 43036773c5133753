import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { changeRecord } from '../../crawls/change-record.ts';
import { rederiveWeeks } from '../../logs/derive-log-pages.ts';
import { checkRequest } from '../../resources/check-request.ts';
import { forbidden, invalidParameter, notFound, Refusal } from '../../resources/refusal.ts';
import { publicView, RESOURCE_KINDS, type ResourceKind } from '../../resources/resources.ts';
import { Faults } from '../faults/fault.ts';
import type { SandboxContext } from './sandbox-context.ts';

const ImportBody = z.strictObject({ dir: z.string().min(1) });
const ClockBody = z.strictObject({ now: z.union([z.int(), z.iso.datetime({ offset: true }), z.iso.date()]) });
const PatchBody = z.record(z.string(), z.unknown());
const TokenPatch = z.strictObject({ scopes: z.array(z.string()), expires_at: z.int().optional() });

type ByResource = { Params: { resource: string; id: string } };

/**
 * Registers the endpoints for tests (interface.md, "Outside `/api/v2`"). They need no token, but accept requests only
 * from this machine, and not from a browser page of another origin.
 */
export function controlRoutes(control: FastifyInstance, context: SandboxContext): void {
  const { resources, faults, clock, requests, crawlClock } = context;
  control.addHook('onRequest', async ({ ip, method, url, headers }) => {
    if (!isLoopback(ip)) throw notFound(`${method} ${url}`);
    const problem = foreignOrigin(headers, context.host);
    if (problem !== undefined) throw forbidden(problem, 'foreign_origin');
  });

  control.post('/faults', async (request) => {
    faults.add(checkRequest(Faults, request.body));
    return { faults: faults.list() };
  });
  control.delete('/faults', async (_request, reply) => {
    faults.clear();
    return reply.code(204).send();
  });
  control.get('/requests', async () => requests.list());
  for (const kind of ['mails', 'webhook_calls'] as const) {
    control.get(`/${kind}`, async () => {
      await crawlClock.advance();
      return resources.list(kind).reverse();
    });
  }
  control.post('/import', async (request) =>
    context.importFolder(checkRequest(ImportBody, request.body).dir),
  );
  control.post('/clock', async (request) => {
    const { now } = checkRequest(ClockBody, request.body);
    clock.set(typeof now === 'number' ? now : Date.parse(now));
    await crawlClock.advance();
    return { now: clock.now() };
  });
  control.patch<ByResource>('/:resource/:id', async ({ params, body }) => {
    const kind = kindOf(params.resource);
    const changes = checkRequest(kind === 'tokens' ? TokenPatch : PatchBody, body);
    if ('id' in changes && changes.id !== params.id)
      throw invalidParameter('id', 'immutable', 'stays as it is');
    const doc = await changeRecord(context, kind, params.id, changes);
    if (kind === 'projects' && 'week_definition' in changes) await rederiveWeeks(context, doc);
    return publicView(doc);
  });
}

function kindOf(name: string): ResourceKind {
  const kind = RESOURCE_KINDS.find((known) => known === name);
  if (kind === undefined)
    throw new Refusal('resource_not_found', `${name} is none of ${RESOURCE_KINDS.join(', ')}`);
  return kind;
}

/** Returns whether an IP address is this machine's own. */
function isLoopback(ip: string): boolean {
  return /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/.test(ip);
}

/**
 * Returns the reason why a request does not come from a program on this machine; undefined if it does. A web page in a
 * browser on this machine also has this machine's address. Its origin reveals the page, or, if its name was rebound to
 * 127.0.0.1, that name does.
 *
 * @param listening the host that the sandbox listens on
 */
function foreignOrigin(headers: IncomingHttpHeaders, listening: string): string | undefined {
  const host = nameOf(`http://${headers.host ?? ''}`);
  if (host === undefined || !(isLoopback(host) || ['localhost', listening.toLowerCase()].includes(host)))
    return `/_sandbox accepts only this machine's own names`;
  if (headers.origin !== undefined) {
    const origin = nameOf(headers.origin);
    if (origin === undefined || headers.origin.replace(/^https?:\/\//, '') !== headers.host)
      return '/_sandbox accepts no requests from pages of another origin';
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return '/_sandbox accepts no requests from pages of another site';
  return undefined;
}

/** Returns the host name of an address, without port and brackets. */
function nameOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || url.pathname !== '/') return undefined;
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
