import { defineConfig } from '@playwright/test'

/**
 * Debian's Chromium without its windows, which a test never sees and which take a fifth of the time: nothing is
 * downloaded. The switches keep it off the network, where it has nothing to do.
 */
const chromium = {
  executablePath: process.env.CHROMIUM ?? '/usr/lib/chromium/chromium-headless-shell',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    // No picture is drawn by an emulated graphics card: that costs more than everything else here.
    '--disable-software-rasterizer',
    '--disable-extensions',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}

export default defineConfig({
  testDir: './e2e',
  outputDir: '../target/e2e-results',
  globalSetup: './e2e/support/global-setup.ts',
  // Every worker has a server, a simulated room and a database of its own (`support/test.ts`): no two tests meet.
  fullyParallel: true,
  workers: Number(process.env.E2E_WORKERS ?? 2),
  // One unlucky test stops no landing; it is told as FLAKY and mended next. `STRICT=1 make test` does not try again.
  retries: process.env.STRICT ? 0 : 2,
  // Where so many fail they have one cause, which more of them would not tell better: a server that does not start, say.
  maxFailures: 40,
  forbidOnly: true,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['./e2e/support/reporter.ts']],
  use: {
    browserName: 'chromium',
    actionTimeout: 20_000,
    launchOptions: chromium,
    viewport: { width: 1440, height: 900 },
    timezoneId: 'Asia/Shanghai',
    // Nobody waits for a dialog to fade in. The tests of fading itself ask for it.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace takes a picture at every step, which doubles the time of the whole: only a second try leaves one, or every
    // failure with `E2E_TRACE=1`, while looking for a cause.
    trace: process.env.E2E_TRACE ? 'retain-on-failure' : 'on-first-retry',
    screenshot: 'only-on-failure',
  },
})
