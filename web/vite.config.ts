import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { antdStyles } from './antd-styles.ts'
import { chunkOf } from './chunks.ts'
import { firstLoad } from './first-load.ts'

const server = process.env.SKYRACK_DEV_SERVER ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react(), antdStyles(), firstLoad()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: Object.fromEntries(['/api', '/v1', '/logout'].map((path) => [path, { target: server, ws: true }])),
  },
  build: {
    target: 'es2023',
    outDir: 'dist',
    manifest: true,
    // The content security policy allows no inline data in scripts, and pictures are better cached on their own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file, which the page asks for at once; what every page needs is most of it.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'boot', test: /rolldown.runtime/, priority: 1 }, { name: chunkOf }],
        },
      },
    },
  },
})
