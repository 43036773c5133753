import { createHmac } from 'node:crypto';
import { verifyWebhookSignature } from '../../../src/client/webhook-signature.ts';
import { Fault, plainTarget, type Verdict } from '../target.ts';

/** A line with the header, a line with the secret, then the body. */
function check(input: Buffer): Verdict {
  const [header = '', secret = ''] = input.toString('latin1').split('\n', 2);
  const body = input.subarray(Math.min(input.length, header.length + secret.length + 2));
  const right = createHmac('sha256', secret).update(body).digest('hex');
  const taken = verifyWebhookSignature(body, header, secret);
  if (taken !== (secret !== '' && header === right)) throw new Fault('a signature is judged wrongly', header);
  if (secret === '') return 'refused';
  if (!verifyWebhookSignature(body, right, secret)) throw new Fault('a right signature is refused', secret);
  const cases = [
    right.toUpperCase(),
    ` ${right}`,
    `${right}\n`,
    right.slice(1),
    `${right}0`,
    `sha256=${right}`,
  ];
  for (const wrong of cases)
    if (wrong !== right && verifyWebhookSignature(body, wrong, secret))
      throw new Fault('a wrong signature is taken', wrong);
  const changed = Buffer.concat([body, Buffer.from(' ')]);
  if (verifyWebhookSignature(changed, right, secret)) throw new Fault('another body is taken', secret);
  if (verifyWebhookSignature(body, right, `${secret}x`)) throw new Fault('another secret is taken', secret);
  return taken ? 'taken' : 'refused';
}

const body = '{"event":"crawl.done","crawl_id":"c1"}';
const signed = (secret: string): string =>
  `${createHmac('sha256', secret).update(body).digest('hex')}\n${secret}\n${body}`;

/** Signatures of webhooks. */
export const webhooks = plainTarget(
  {
    name: 'webhooks',
    seeds: [signed('secret'), signed('k'), signed('')],
    words: ['\n', 'sha256='],
    shortRound: 2000,
  },
  check,
);
