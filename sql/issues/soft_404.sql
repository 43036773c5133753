/*
title: Soft 404
severity: medium
category: content
definition: >-
  The HTTP status is 200, and the title and content match those of the response for a missing page
  (like_missing_page). The issue also applies if the title or H1 contains an error message (404, Error 404, or Page
  not found in the language of the site), and the page has fewer than 150 words or no links to it. The message must be
  a complete part of the title or H1, delimited by separators such as dashes. Pages whose scripts add noindex are
  excluded, because Google asks single-page applications to do this.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Search engines crawl and index the page as a normal page, but users find an error.
fix: Return status 404 or 410, or restore the page
owner: server
evidence: [status_code, title, h1, word_count, like_missing_page, meta_robots_index, unrendered_meta_robots_index]
cases:
  has:
    - {status_code: 200, title: Error 404, word_count: 12}
    - {status_code: 200, title: 404 - Example, word_count: 12}
    - {status_code: 200, title: 404 - Example, word_count: 500, nb_inlinks: 0}
    - {status_code: 200, title: 'Page Not Found - Example', word_count: 149}
    - {status_code: 200, title: 'Example | File not found', word_count: 12}
    - {status_code: 200, title: 'Seite nicht gefunden - Beispiel', word_count: 12}
    - {status_code: 200, title: 'Page introuvable | Exemple', word_count: 12}
    - {status_code: 200, title: '404: Página no encontrada', word_count: 12}
    - {status_code: 200, title: Sorry, like_missing_page: true, meta_robots_index: false, unrendered_meta_robots_index: false}
    - {status_code: 200, like_missing_page: true}
    - {status_code: 200, title: Example, h1: Page not found, word_count: 12}
    - {status_code: 200, title: null, h1: 'Oops! 404', word_count: 12}
    - {status_code: 200, title: 'Error 404', h1: null, word_count: 12}
    - {status_code: 200, title: Example, h1: Seite nicht gefunden, word_count: 500, nb_inlinks: 0}
  has_not:
    - {status_code: 200, title: Example, h1: How to fix page not found errors, word_count: 12}
    - {status_code: 200, title: Peugeot, h1: 404 for sale, word_count: 12}
    - {status_code: 200, title: Example, h1: Page not found, word_count: 150, nb_inlinks: 1}
    - {status_code: 404, title: Example, h1: Page not found, word_count: 12}
    - {status_code: 200, like_missing_page: true, meta_robots_index: false, unrendered_meta_robots_index: true}
    - {status_code: 200, title: Error 404, word_count: 12, meta_robots_index: false, unrendered_meta_robots_index: true}
    - {status_code: 404, title: Error 404, word_count: 12}
    - {status_code: 200, title: Boeing 4040, word_count: 12}
    - {status_code: 200, title: Peugeot 404 for sale, word_count: 12, nb_inlinks: 0}
    - {status_code: 200, title: The story of room 404, word_count: 12}
    - {status_code: 200, title: Walnut 404, word_count: 12, nb_inlinks: 0}
    - {status_code: 200, title: 404 - Example, word_count: 150, nb_inlinks: 1}
    - {status_code: 200, title: How to make a page not found, word_count: 12}
    - {status_code: 404, title: Sorry, like_missing_page: true}
    - {status_code: 200, title: Sorry, like_missing_page: false}
    - {status_code: 200, title: Sorry, like_missing_page: null}
*/
SELECT
  crawl_id,
  project_id,
  url,
  CASE WHEN like_missing_page THEN 'like the answer for a missing page' ELSE why END AS why
FROM (
  SELECT
    *,
    coalesce('title ' || title, 'no title') || coalesce(', H1 ' || h1, '') AS why,
    -- The parts of both.
    lower(coalesce(title, '') || ' | ' || coalesce(h1, '')) AS said
  FROM mart.pages
) AS pages
WHERE status_code = 200
  AND NOT coalesce(NOT meta_robots_index AND unrendered_meta_robots_index, false)
  AND (
    like_missing_page
    -- A text with a part that is such a sentence leaves nothing.
    OR (word_count < 150 OR nb_inlinks = 0)
      AND regexp_replace(
        said,
        '^(.*[-|:·–—»«!,.])?[ ]*((http|error|fehler|erreur|errore|oops|fout)?[ ]*404[ ]*(error|fehler|not found)?|(404[ ]+)?((this |the |requested )*(page|file) (was |could |can )*(not|not be|cannot be|can.t be) found|(page|file) does not exist|(die |diese )?(seite|datei) (wurde )?nicht (gefunden|verfügbar)|(la )?page (introuvable|non trouvée)|página no encontrada|página não encontrada|pagina non trovata|pagina niet gevonden|nie znaleziono strony|strona nie znaleziona|страница не найдена|sidan hittades inte|siden blev ikke fundet|stránka nenalezena|sayfa bulunamadı|ページが見つかりません|页面不存在|페이지를 찾을 수 없습니다))[ ]*([-|:·–—»«!,.].*)?$',
        ''
      ) <> said
  )
