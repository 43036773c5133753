import { Semaphore } from '../../../../core/queue/semaphore.ts';
import { headerValues } from '../parse/headers.ts';
import {
  authenticateMessage,
  type NtlmCredentials,
  negotiateMessage,
  readChallenge,
} from './ntlm-messages.ts';

/** What of an answer is read here. */
interface Answered {
  readonly statusCode: number | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Who has the turn on a connection. */
const turns = new WeakMap<object, Semaphore>();

/**
 * Asks for a URL on a connection that NTLM may have to sign in: of each connection, the server asks once who it is.
 * Nobody else asks on the connection meanwhile.
 *
 * @param ask sends the request on the connection
 */
export function askByNtlm<A extends Answered>(
  connection: object,
  credentials: NtlmCredentials,
  ask: (headers: Readonly<Record<string, string>>) => Promise<A>,
): Promise<A> {
  const turn = turns.get(connection) ?? new Semaphore(1);
  turns.set(connection, turn);
  return turn.run(async () => {
    const first = await ask({});
    if (first.statusCode !== 401 || challengeOf(first) === null) return first;
    const asked = await ask(authorization(negotiateMessage()));
    const challenge = readChallenge(Buffer.from(challengeOf(asked) ?? '', 'base64'));
    if (asked.statusCode !== 401 || challenge === null) return asked;
    return ask(authorization(authenticateMessage(challenge, credentials)));
  });
}

function authorization(message: Buffer): Record<string, string> {
  return { authorization: `NTLM ${message.toString('base64')}` };
}

/** What stands behind `NTLM` in a challenge, at first nothing; null where the server does not offer it. */
function challengeOf({ headers }: Answered): string | null {
  const offers = headerValues(headers, 'www-authenticate').map((value) =>
    /(?:^|,)\s*NTLM(?:\s+([A-Za-z0-9+/=]+))?\s*(?:,|$)/i.exec(value),
  );
  const offer = offers.find((one) => one !== null);
  return offer === undefined ? null : (offer[1] ?? '');
}
