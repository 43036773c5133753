import { expect, test } from 'vitest';
import { addressKind, addressOf, isLoopbackHost } from '../../../src/core/net/address-kind.ts';

test.each([
  ['93.184.215.14', 'public'],
  ['2606:4700::1111', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::127.0.0.1', 'loopback'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['2002:7f00:1::', 'loopback'],
  ['::ffff:0:127.0.0.1', 'loopback'],
  ['::ffff:0:a9fe:a9fe', 'link_local'],
  ['2001:470::5efe:10.0.0.1', 'private'],
  ['2001:470::200:5efe:a00:1', 'private'],
  ['64:ff9b:1::a00:1', 'reserved'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'reserved'],
  ['168.63.129.16', 'link_local'],
  ['::ffff:0:168.63.129.16', 'link_local'],
  ['fd00:ec2::254', 'private'],
  ['100.100.100.200', 'private'],
  ['192.0.0.192', 'reserved'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.0.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd00::1', 'private'],
  ['169.254.169.254', 'link_local'],
  ['::ffff:a9fe:a9fe', 'link_local'],
  ['fe80::1%eth0', 'link_local'],
  ['0.0.0.0', 'reserved'],
  ['::', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['224.0.0.1', 'reserved'],
  ['ff02::1', 'reserved'],
])('%s is %s', (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});

test('the host of a URL is an address or a name', () => {
  expect(
    ['http://0x7f.1/', 'http://[::1]/', 'http://a.example/'].map((url) => addressOf(new URL(url).hostname)),
  ).toEqual(['127.0.0.1', '::1', null]);
});

test.each([
  ['localhost', true],
  ['a.localhost', true],
  ['localhost.example', false],
  ['notlocalhost', false],
  ['127.0.0.2', true],
  ['[::1]', true],
  ['10.0.0.1', false],
])('the host %s is this machine: %s', (hostname, isLoopback) => {
  expect(isLoopbackHost(hostname)).toBe(isLoopback);
});
