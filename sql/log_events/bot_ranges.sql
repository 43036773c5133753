/*
name: mart.bot_ranges
kind: seed
description: >-
  Addresses that operators publish for their crawlers, one row for each prefix. The rows are those of
  sql/seeds/bot_ranges.csv, of the package and then of the project: the rows of the project for a list take the place
  of the package's for it. crawlhouse logs bots update writes the project's.
grain: [range_list, prefix]
replaces: [range_list]
columns:
  range_list: >-
    Name of the list, as in googlebot. mart.bot_checks says which crawlers it is for. A crawler without such a row has
    the list of its own name.
  prefix: Addresses, as in 66.249.64.0/27 or 2001:4860:4801:10::/64.
  source: Address of the operator's file; a file on a disk by its name.
  published: Day of that file, as in 2026-02-04, else the day a copy of it last changed; NULL where none is known.
  copied_from: Copy that the prefixes were read from; NULL if they were read from the source.
*/
