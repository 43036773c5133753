export const ADJECTIVES =
  'amber bold calm crisp dusty early fresh gentle hidden ivory jolly light mellow noble quiet rapid silver tidy vivid warm'.split(
    ' ',
  );

export const NOUNS =
  'anchor basket beacon canvas compass feather garden harbour island jacket kettle lantern meadow needle orchard pepper quilt ribbon saddle teapot umbrella violin willow yarn'.split(
    ' ',
  );

export const SECTIONS = ['products', 'blog', 'help', 'news', 'guides', 'stores', 'events', 'brands'] as const;

export const EXTERNAL_HOSTS =
  'www.partner-one.example shop.partner-two.example news.daily.example cdn.pictures.example social.network.example maps.atlas.example docs.library.example video.stream.example'.split(
    ' ',
  );
