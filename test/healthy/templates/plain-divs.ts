import { paragraphs, proseOf, titlesOf } from '../prose.ts';
import { escaped, image, missing, page, pdf, plain, type Routes, sitemap, zip } from '../site.ts';

/** A business that wrote its pages by hand: menus of hundreds of words in plain `div`s, tables, Latin-1 and files of all kinds. */
export function plainDivs(origin: string, random: () => number): Routes {
  const prose = proseOf('de', random);
  const pages = titlesOf(prose, 18).map(({ title, slug }, nth) => {
    const folder = ['leistungen', 'produkte', 'wissen'][nth % 3];
    return { title, path: `/${folder}/${encodeURIComponent(slug.replaceAll(/[äöüß]/g, 'e'))}.html` };
  });
  const routes: Routes = {
    '/robots.txt': plain(`User-agent: *\nDisallow: /cgi-bin/\nSitemap: ${origin}/sitemap.xml\n`),
    '/bilder/werkstatt.png': image(60),
    '/bilder/werkstatt_gross.png': image(180),
    '/dateien/preisliste.pdf': pdf(),
    '/dateien/cad.zip': zip(),
    '/dateien/antrag.doc': plain('', { 'content-type': 'application/msword' }),
    '/dateien/termine.ics': plain('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', {
      'content-type': 'text/calendar',
    }),
    '/dateien/kontakt.vcf': plain('BEGIN:VCARD\r\nEND:VCARD\r\n', { 'content-type': 'text/vcard' }),
    '/dateien/film.mp4': plain(`\0\0\0\x18ftypmp42${' '.repeat(3_000_000)}`, { 'content-type': 'video/mp4' }),
    '*': missing('Nicht gefunden', '<p>Diese Seite gibt es nicht. <a href="/">Zur Startseite</a></p>'),
  };
  const menu = pages
    .map(({ title, path }) => `<div class="menupunkt"><a href="${path}">${title}</a></div>`)
    .join('\n');
  const notes = Array.from({ length: 3 }, () => `<div class="hinweis">${prose.paragraph(4)}</div>`).join('');
  const add = (path: string, title: string, body: string, canonical = path): void => {
    const text = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de" lang="de"><head><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1" />
<title>${title}</title><meta name="keywords" content="Werkstatt, Möbel" /><meta name="description" content="${escaped(title)}: was unsere Werkstatt für Sie tun kann und wie Sie uns erreichen." /><link rel="canonical" href="${origin}${canonical}" /></head>
<body bgcolor="#ffffff"><a name="oben"></a><div id="kopf"><a href="/index.html"><img src="/bilder/werkstatt.png" alt="Werkstatt Krüger" width="200" height="60" border="0" /></a></div>
<div id="menu">${menu}<div class="menupunkt"><a href="/kontakt.html">Kontakt</a></div></div><div id="inhalt">${body}</div>
<div id="rechts">${notes}</div>
<div id="fuss"><a href="#oben">nach oben</a> | <a href="javascript:history.back()">zurück</a> | <a href="javascript:window.print()">Drucken</a> | <a href="/impressum.html">Impressum</a> | <a href="/cdn-cgi/l/email-protection#a1b2c3"><span class="__cf_email__" data-cfemail="a1b2c3">[email&#160;protected]</span></a> | &copy; Werkstatt Krüger</div></body></html>`;
    routes[path] = page(Buffer.from(text, 'latin1'), { 'content-type': 'text/html' });
  };
  for (const { title, path } of pages)
    add(
      path,
      `${title} - Werkstatt Krüger`,
      `<div class="ueberschrift"><h1>${title}</h1></div><div class="text">${prose.paragraph(7)}</div><table border="0"><tr><td><a href="/bilder/werkstatt_gross.png"><img src="/bilder/werkstatt.png" alt="Blick in die Werkstatt" width="100" height="60" /></a></td><td>${prose.paragraph(2)}</td></tr></table>`,
    );
  const files = ['preisliste.pdf', 'cad.zip', 'antrag.doc', 'termine.ics', 'kontakt.vcf', 'film.mp4'];
  add(
    '/kontakt.html',
    'Kontakt - Werkstatt Krüger',
    `<h1>Kontakt</h1>${paragraphs(prose, 2)}<form action="/cgi-bin/mail.pl" method="post"><input name="name" /></form>${files.map((file) => `<a href="/dateien/${file}">${file}</a>`).join('<br />')}<a href="mailto:info@example.com?subject=Anfrage">Mail</a><a href="tel:+49-40-123">Telefon</a><a href="fax:+49-40-124">Fax</a><a href="skype:krueger?call">Skype</a>`,
  );
  add('/impressum.html', 'Impressum - Werkstatt Krüger', `<h1>Impressum</h1>${paragraphs(prose, 1, 3)}`);
  for (const path of ['/', '/index.html'])
    add(path, 'Werkstatt Krüger in Hamburg', `<h1>Willkommen</h1>${paragraphs(prose, 3)}`, '/');
  routes['/'] = routes['/index.html'] as never;
  routes['/sitemap.xml'] = sitemap([`${origin}/`, ...pages.map(({ path }) => `${origin}${path}`)]);
  return routes;
}
