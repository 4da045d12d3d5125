import { defineConfig, mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      restoreMocks: true,
      unstubGlobals: true,
      retry: process.env.STRICT ? 0 : 2,
      projects: [
        {
          extends: true,
          test: {
            name: 'logic',
            // Nothing is drawn, so that files need neither a page of their own nor a world of their own. One that needs
            // a page's globals says so in its first line: `@vitest-environment jsdom`.
            include: ['src/**/*.spec.ts'],
            environment: 'jsdom',
            isolate: false,
          },
        },
        {
          extends: true,
          test: {
            name: 'pages',
            include: ['src/**/*.spec.tsx'],
            environment: 'jsdom',
            setupFiles: ['./src/test-setup.ts'],
          },
        },
      ],
    },
  }),
)
