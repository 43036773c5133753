import type { Cases } from '../compare-question.ts';

/** What the questions about the adversarial sites are asked with. */
export const CASES: Cases = {
  single: {
    project: [`Ümlaut & Söhne; "quoted" 'shop'`, 'two configurations', 'zwilling', 'p-l', 'p-a', 'p-v'],
    crawl: ['a1', 'a2', 'b2', 'b6', 'd1', 'g2', 'h1', 'l1', 's2', 'x3', 'nobody'],
    segmentation: ['kind', 'size', '(directory)', '(site)', 'nothing'],
    segment: ['/', '/a/', '/t/', '/r/', '/many/', '/s/', 'pots', '(site)', 'all'],
    from: ['2026-03-21', '2026-02-08'],
    to: ['2026-03-21', '2026-02-08'],
    limit: ['1', '2', '3', '5', '8'],
    targets: ['1', '3'],
    thin_below: ['101'],
    slow_above: ['500'],
    min_percent: ['5', '50'],
    min_clicks: ['9', '0'],
    min_loss_percent: ['19', '50'],
    urls: ['https://a.example/gone/1\nhttps://v.example/14 https://nowhere.example/'],
  },
  together: [
    { project: 'p-a', crawl: 'b1' },
    { project: 'p-b', limit: '2' },
    { project: 'p-h', segment: '/many/', limit: '7' },
    { crawl: 'a2', segment: '/alone/' },
    { segmentation: 'kind', segment: 'tea' },
    { segmentation: 'size', segment: 'small', crawl: 'a1' },
    { segmentation: '(directory)', segment: '/t/' },
    { segmentation: 'kind', segment: '/t/' },
    { from: '2026-02-01', to: '2026-02-08' },
    { from: '2026-03-20', to: '2026-03-29', segment: '/a/' },
    { crawl: 'l1', from: '2026-03-20', to: '2026-03-22' },
  ],
};
