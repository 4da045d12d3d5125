import { defineConfig } from '@playwright/test'

/** Debian's Chromium: nothing is downloaded. The switches keep it off the network, where it has nothing to do. */
const chromium = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
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
  // The machine has two cores and the server needs one of them. A test that fails, fails: no retries.
  workers: 1,
  retries: 0,
  forbidOnly: true,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['junit']],
  use: {
    browserName: 'chromium',
    actionTimeout: 20_000,
    launchOptions: chromium,
    viewport: { width: 1440, height: 900 },
    timezoneId: 'Asia/Shanghai',
    // A trace takes a picture at every step, which doubles the time of the whole. `E2E_TRACE=1` while looking for a cause.
    trace: process.env.E2E_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
  },
})
