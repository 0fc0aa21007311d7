// A short session in Japanese, in another project.
import { createDisk, text } from '../tools.mjs';
import { createTranscript } from '../transcript.mjs';

const root = '/home/ada/recipes';
const recipe = `${root}/washoku/miso-soup.md`;

export function misoSoup() {
  const s = createTranscript({
    name: 'miso-soup',
    cwd: root,
    gitBranch: 'main',
    start: '2026-03-14T10:31:00.000Z',
    model: 'claude-sonnet-4-5-20250929',
    cache: '5m',
  });
  const disk = createDisk({
    [recipe]: `# 豆腐とわかめの味噌汁（2人分）

- だし汁 400 ml
- 味噌 大さじ1と1/2
- 絹ごし豆腐 150 g
- 乾燥わかめ 2 g
- 長ねぎ 5 cm
`,
  });

  s.prompt('washoku/miso-soup.md を4人分に直して。味噌は少し控えめにしたい');
  s.respond(text('まずレシピを読みます。'), disk.read(recipe));
  s.respond(
    disk.edit(
      recipe,
      `（2人分）

- だし汁 400 ml
- 味噌 大さじ1と1/2
- 絹ごし豆腐 150 g
- 乾燥わかめ 2 g
- 長ねぎ 5 cm`,
      `（4人分）

- だし汁 800 ml
- 味噌 大さじ2と1/2
- 絹ごし豆腐 300 g
- 乾燥わかめ 4 g
- 長ねぎ 10 cm`,
    ),
  );
  s.respond(
    text(`4人分に直しました。

| 材料 | 2人分 | 4人分 |
| --- | ---: | ---: |
| だし汁 | 400 ml | 800 ml |
| **味噌** | 大さじ1½ | **大さじ2½**（倍量は3） |
| 絹ごし豆腐 | 150 g | 300 g |
| 乾燥わかめ | 2 g | 4 g |
| 長ねぎ | 5 cm | 10 cm |

味噌だけ倍にせず、約17%減らしています。火を止めてから溶くと、少なめでも香りが立ちます。`),
  );
  s.wait(31);
  s.prompt('ありがとう！わかめは先に戻すの？');
  s.respond(text('いいえ、**乾燥のまま**で大丈夫です。味噌を溶く1分前に入れると、鍋の中でちょうどよく戻ります。'));
  return s;
}
