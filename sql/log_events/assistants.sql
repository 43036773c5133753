/*
name: mart.assistants
kind: seed
description: >-
  AI assistants that send visitors, one row for each host. The rows come from sql/seeds/assistants.csv of the package
  and of the project. A row of the project replaces the row with the same source.
grain: [source]
columns:
  source: >-
    Host of the assistant in lowercase, without www., such as chatgpt.com, as in referrers and in utm_source. A row of
    the project may contain another value of utm_source.
  assistant: Name of the assistant, such as ChatGPT.
  reference: Source of the row.
  read_on: Day on which that source was read.
*/
