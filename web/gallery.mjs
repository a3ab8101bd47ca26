// A picture of the replay of each report in a folder, NAME.html to NAME.png, 0.4 of the run after its start:
//   node gallery.mjs FOLDER MODULES CHROMIUM

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "from-here.js"))("playwright-core");
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

try {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".html"))) {
    const page = await browser.newPage({ viewport: { width: 1500, height: 900 }, colorScheme: "light" });
    await page.goto(pathToFileURL(join(folder, file)).href);
    // Ten thousand bodies take minutes without a graphics card.
    await page.waitForFunction(() => window.footfall?.runs[0]?.replay.stage?.active, null, { timeout: 600000 });
    await page.evaluate(() => {
      const { clock, recording } = window.footfall.runs[0];
      clock.seek(recording.start + 0.4 * (recording.end - recording.start));
    });
    await page.waitForTimeout(300);
    const view = await page.evaluateHandle(() => window.footfall.runs[0].replay.view);
    await view.asElement().screenshot({ timeout: 600000, path: join(folder, file.replace(/html$/, "png")) });
    await page.close();
  }
} finally {
  await browser.close();
}
