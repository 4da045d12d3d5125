import { createRequire } from 'node:module'

/*
 * antd makes its style sheets while it renders, and jsdom goes through all of them for each computed style that a test
 * asks for: most of a test's time. Nothing here depends on how something looks, and in a build they are made elsewhere
 * too (`antd-styles.ts`). Node loads antd's CommonJS files, whose parts ask for these functions when they are loaded.
 */
const makers = createRequire(import.meta.url)('antd/lib/theme/util/genStyleUtils') as Record<string, unknown>
makers.genStyleHooks = () => () => ['', '']
makers.genComponentStyleHook = () => () => ''
makers.genSubStyleComponent = () => () => null
