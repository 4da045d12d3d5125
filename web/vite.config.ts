import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = process.env.SKYRACK_DEV_SERVER ?? 'http://127.0.0.1:8080'

/** Libraries that change seldom and are needed after every sign-in get chunks of their own, cached for a year. */
const vendorChunks = [
  { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler|react-router|zustand)[\\/]/, priority: 30 },
  { name: 'charts', test: /node_modules[\\/](echarts|zrender)[\\/]/, priority: 20 },
]

export default defineConfig({
  plugins: [react()],
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
    chunkSizeWarningLimit: 1200,
    rolldownOptions: { output: { codeSplitting: { groups: vendorChunks } } },
  },
})
