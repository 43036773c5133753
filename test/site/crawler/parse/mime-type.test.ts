import { expect, test } from 'vitest';
import { contentType, isHtml } from '../../../../src/site/crawler/parse/decode-body.ts';

const typed = (...values: readonly string[]): [string, string][] =>
  values.map((value) => ['content-type', value]);
const PAGE = Buffer.from('<h1>A page</h1>');
const XHTML = Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>');

test.each([
  [['text/html; charset=utf-8'], 'text/html', 'utf-8'],
  [['text/html, text/html; charset=utf-8'], 'text/html', 'utf-8'],
  [['text/html;charset=koi8-r', 'text/html'], 'text/html', 'koi8-r'],
  [['text/plain;charset=koi8-r, text/html'], 'text/html', null],
  [['text/html;charset="a,b"'], 'text/html', 'a,b'],
  [['TEXT/HTML ;CHARSET=UTF-8'], 'text/html', 'UTF-8'],
  [['text/html, */*'], 'text/html', null],
  [['html'], null, null],
  [['*/*'], null, null],
  [['text/'], null, null],
  [['text/html/x'], null, null],
  [[''], null, null],
  [['unknown/unknown'], null, null],
  [['text/html;;x;charset=utf-8;charset=koi8-r'], 'text/html', 'utf-8'],
  [["text/html;charset='koi8-r'"], 'text/html', "'koi8-r'"],
  [['text/html;charset =koi8-r'], 'text/html', null],
  [['text/html;charset= koi8-r '], 'text/html', 'koi8-r'],
  [['text/html;charset=koi8-r x'], 'text/html', 'koi8-r x'],
  [['text/html;charset="koi8-r'], 'text/html', 'koi8-r'],
  [['text/html;charset="koi8\\-r" x;charset=utf-8'], 'text/html', 'koi8-r'],
  [['text/html;a="b;charset=utf-8";charset=koi8-r'], 'text/html', 'koi8-r'],
  [['text/html;charset=;charset;charset=koi8-r'], 'text/html', 'koi8-r'],
  [['text/html;charset="";charset=koi8-r'], 'text/html', ''],
])('the headers %j mean the type %s in %s', (values, type, charset) => {
  expect(contentType(typed(...values))).toEqual({ type, charset });
});

test.each(['text/html', 'html', '*/*', 'text/html, text/html; charset=utf-8', 'application/xhtml+xml'])(
  'a page of the type %s is HTML',
  (value) => {
    expect(isHtml(typed(value), PAGE)).toBe(true);
  },
);

test.each([
  'text/plain',
  'image/png',
  'application/json',
  'text/xml',
  'image/svg+xml',
  'application/octet-stream',
])('a page of the type %s is not HTML', (value) => {
  expect(isHtml(typed(value), PAGE)).toBe(false);
});

test.each([
  ['<!DOCTYPE html>', true],
  [' \r\n\t<p>x', true],
  ['<a href=x>', true],
  ['<!-- x -->', true],
  ['<!DocType HTML PUBLIC', true],
  ['<article>', false],
  ['<b>x', true],
  ['<bx>', false],
  ['<html\n  lang=en>', true],
  ['<br/>', true],
  ['<rss>', false],
  ['{"a":1}', false],
  ['text <html>', false],
  ['', false],
])('without a type, content that begins with %j is HTML: %s', (text, isPage) => {
  expect(isHtml([], Buffer.from(text))).toBe(isPage);
  expect(isHtml([['x-content-type-options', 'nosniff']], Buffer.from(text))).toBe(false);
});

test.each(['application/xml', 'text/xml', 'application/xhtml+xml'])(
  'XHTML of the type %s is HTML',
  (value) => {
    expect(isHtml(typed(value), XHTML)).toBe(true);
  },
);
