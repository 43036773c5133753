import { expect, test } from 'vitest';
import { sendWebhook } from '../../../../src/app/operations/alert/send-webhook.ts';
import { receiver } from './receiver.ts';

const never = new AbortController().signal;

test('an accepted alert is posted once', async () => {
  const { url, received } = await receiver();
  await sendWebhook(url, '{"a":1}', { timeoutMs: 5000 }, never);
  expect(received).toEqual([{ a: 1 }]);
});

test('an overloaded receiver is tried three times', async () => {
  const { url, received, answers } = await receiver();
  answers.push(503, 429);
  await sendWebhook(url, '{}', { timeoutMs: 5000 }, never);
  expect(received).toHaveLength(3);
  answers.push(500, 500, 500);
  await expect(sendWebhook(url, '{}', { timeoutMs: 5000 }, never)).rejects.toThrow(
    'the receiver answered 500',
  );
  expect(received).toHaveLength(6);
});

test('an address that refuses alerts is not retried', async () => {
  const { url, received, answers } = await receiver();
  answers.push(404);
  await expect(sendWebhook(url, '{}', { timeoutMs: 5000 }, never)).rejects.toThrow(
    'the receiver answered 404',
  );
  expect(received).toHaveLength(1);
});

test('a receiver that does not respond is not awaited', async () => {
  const { url, answers } = await receiver();
  answers.push('nothing', 'nothing', 'nothing');
  await expect(sendWebhook(url, '{}', { timeoutMs: 50 }, never)).rejects.toThrow('no answer within 0.05 s');
});
