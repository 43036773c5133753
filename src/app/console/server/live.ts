import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { watchLiveRun } from '../../../etl/state/ledger/live-run.ts';
import { liveState } from '../layout/draw-live-run.ts';

/** Maximum listeners. */
const MOST = 200;
/** Maximum listeners per person, one per window. */
const MOST_OF_A_PERSON = 8;
const LOOK_MS = 1000;
const COMMENT_MS = 15_000;

/**
 * `/live`: server-sent events about the current run. `progress` contains its state, `ended` the id of the run; null: no
 * run is active.
 */
export function liveRoute(
  app: FastifyInstance,
  stateDir: string,
  isSignedIn: (request: FastifyRequest) => boolean,
): void {
  const look = watchLiveRun(stateDir);
  const listeners = new Map<ServerResponse, FastifyRequest>();
  let looking: NodeJS.Timeout | undefined;
  let commenting: NodeJS.Timeout | undefined;
  let shown: { readonly run: string; readonly event: string } | null = null;
  const tell = (text: string): void => {
    for (const response of listeners.keys()) response.write(text);
  };
  const lookAgain = (): void => {
    const live = look();
    if (shown !== null && shown.run !== live?.run_id) tell(eventText('ended', { run_id: shown.run }));
    const event = live === null ? null : eventText('progress', liveState(live));
    if (event !== null && event !== shown?.event) tell(event);
    shown = live === null || event === null ? null : { run: live.run_id, event };
  };
  const comment = (): void => {
    for (const [response, request] of listeners) {
      if (isSignedIn(request)) response.write(': still here\n\n');
      else response.end();
    }
  };
  const leave = (response: ServerResponse): void => {
    listeners.delete(response);
    if (listeners.size > 0) return;
    clearInterval(looking);
    clearInterval(commenting);
  };
  app.get('/live', (request, reply) => {
    if (!isSignedIn(request)) return reply.code(401).send();
    const subject = request.person?.subject;
    const own = [...listeners.values()].filter(({ person }) => person?.subject === subject);
    if (listeners.size >= MOST || own.length >= MOST_OF_A_PERSON)
      return reply.code(503).header('retry-after', '60').send();
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...reply.getHeaders(), 'content-type': 'text/event-stream' } as Record<
      string,
      string
    >);
    if (listeners.size === 0) {
      looking = setInterval(lookAgain, LOOK_MS);
      commenting = setInterval(comment, COMMENT_MS);
    }
    lookAgain();
    listeners.set(raw, request);
    raw.on('close', () => leave(raw));
    raw.write(`retry: 3000\n\n${shown?.event ?? eventText('ended', { run_id: null })}`);
    return reply;
  });
}

function eventText(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
