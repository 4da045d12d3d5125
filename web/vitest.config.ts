import { defineConfig, mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      environment: 'jsdom',
      setupFiles: ['./src/test-setup.ts'],
      include: ['src/**/*.spec.{ts,tsx}'],
      restoreMocks: true,
      retry: process.env.STRICT ? 0 : 2,
    },
  }),
)
