import { createRequire } from 'node:module'
import type { Plugin } from 'vite'
import { themeClass, themeOf } from './src/ui/theme.ts'
import { darkPalette, lightPalette } from './src/ui/tokens.ts'

/*
 * antd makes its style sheets while it renders, which is a quarter of what a browser does before the first row. A build
 * makes them once, here: for the parts that `src/ui` uses, in light and dark, with and without motion. What would make
 * them in the browser is left out. The development server and the tests keep antd as it comes.
 */

const module = 'virtual:antd-styles.css'
const styleModule = /\/antd\/es\/(?!theme\/|config-provider\/).*\.js$/
const makers = new Set(['genStyleHooks', 'genSubStyleComponent', 'genComponentStyleHook'])

/** Instead of antd's: a component has the class that the variables hang on, and makes nothing. */
const noMakers = `
export const genStyleHooks = () => () => ['', '${themeClass}']
export const genComponentStyleHook = () => () => ''
export const genSubStyleComponent = () => () => null
`

/** Sheets of what comes along with a part of the library and is never shown here. */
const unused = new Set([
  ...['Addon-Addon', 'Space-Space', 'Input-OTP', 'Modal-confirm'],
  // Of drawers and dialogs that load, of the wireframe theme, and of a menu outside a dropdown.
  ...['Skeleton-Skeleton', 'Pagination-bordered', 'Menu-Menu'],
])

export function antdStyles(): Plugin[] {
  let built: Styles | undefined
  /** Style sheets that the modules of this build would make. */
  const wanted = new Map<string, string>()
  return [
    {
      name: 'skyrack-antd-styles',
      resolveId: (id) => (id === module ? `/${module}` : undefined),
      load(id) {
        if (id !== `/${module}`) return
        if (this.environment.mode !== 'build') return ''
        built ??= makeStyles()
        return built.css
      },
    },
    {
      name: 'skyrack-antd-styles-at-build',
      apply: 'build',
      transform(code, id) {
        if (id.endsWith('/antd/es/theme/util/genStyleUtils.js')) {
          return noMakers + code.slice(code.indexOf('export const genCssVar'))
        }
        if (id.endsWith('/antd/es/theme/util/useResetIconStyle.js')) return 'export default () => undefined'
        if (!styleModule.test(id) || ![...makers].some((name) => code.includes(`${name}(`))) return
        const found = callsIn(this.parse(code))
        for (const { name } of found) wanted.set(name, id)
        // Without the functions that describe the styles, which nothing else refers to.
        return found.reduceRight((text, { from, to }) => text.slice(0, from) + text.slice(to), code)
      },
      generateBundle(_, bundle) {
        built ??= makeStyles()
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const used = new Set(chunks.flatMap(({ moduleIds }) => moduleIds))
        const missing = [...wanted].filter(([name, id]) => used.has(id) && !built?.names.has(name) && !unused.has(name))
        if (missing.length > 0) {
          this.error(`render in antd-styles.ts what makes these sheets of antd: ${missing.join('; ')}`)
        }
      },
    },
  ]
}

/** The calls that make style sheets, by the name of the sheet; what is between `from` and `to` describes it. */
function callsIn(tree: { body: unknown }) {
  const found: { name: string; from: number; to: number }[] = []
  const walk = (node: unknown) => {
    if (Array.isArray(node)) return node.forEach(walk)
    if (typeof node !== 'object' || node === null) return
    const { type, callee, arguments: given } = node as Record<string, unknown> & { arguments?: Argument[] }
    const [title, ...rest] = given ?? []
    const last = rest.at(-1)
    if (type === 'CallExpression' && makers.has((callee as { name?: string }).name ?? '') && title && last) {
      found.push({ name: nameOf(title), from: title.end, to: last.end })
    } else Object.values(node).forEach(walk)
  }
  walk(tree.body)
  return found
}

interface Argument {
  end: number
  value?: string
  elements?: { value: string }[]
}

/** As `cssinjs` calls it: `Button-Button`, `Button-compact`. */
function nameOf({ value, elements }: Argument): string {
  const names = elements?.map((element) => element.value) ?? [value, value]
  if (names.includes(undefined)) throw new Error('antd no longer names its style sheets by literals')
  return names.join('-')
}

interface Styles {
  css: string
  names: Set<string>
}

// In Node, the library is there as CommonJS alone.
const require = createRequire(import.meta.url)

function makeStyles(): Styles {
  const { theme } = require('antd') as typeof import('antd')
  const light = sheetsOf({ palette: lightPalette, algorithm: theme.defaultAlgorithm, motion: true })
  const dark = sheetsOf({ palette: darkPalette, algorithm: theme.darkAlgorithm, motion: true })
  const still = sheetsOf({ palette: lightPalette, algorithm: theme.defaultAlgorithm, motion: false })
  if (dark.rules !== light.rules || still.rules !== light.rules) {
    throw new Error('the rules of antd depend on the theme in more than their variables')
  }
  const inDark = changed(light.variables, dark.variables, ':root[data-theme="dark"] ')
  const withoutMotion = changed(light.variables, still.variables, '')
  const css = `${light.rules}${light.variables}${inDark}@media (prefers-reduced-motion: reduce){${withoutMotion}}`
  return { css, names: light.names }
}

type Cache = ReturnType<typeof import('@ant-design/cssinjs').createCache>

function sheetsOf(variant: Parameters<typeof themeOf>[0]) {
  const { createElement: h } = require('react') as typeof import('react')
  const { renderToStaticMarkup } = require('react-dom/server') as typeof import('react-dom/server')
  const { createCache, extractStyle, StyleProvider } =
    require('@ant-design/cssinjs') as typeof import('@ant-design/cssinjs')
  const { ConfigProvider } = require('antd') as typeof import('antd')
  const cache: Cache = createCache()
  const provider = h(ConfigProvider, { theme: themeOf(variant) }, ...partsOf(h))
  renderToStaticMarkup(h(StyleProvider, { cache, children: provider }))
  const names = [...cache.cache.keys()].map((key) => /^style%%([^%]+)/.exec(key)?.[1] ?? '')
  const of = (types: 'style' | ('token' | 'cssVar')[]) =>
    extractStyle(cache, { plain: true, types }).replace(cacheMap, '').replace(gridColumns, '')
  return { names: new Set(names), rules: of('style'), variables: of(['token', 'cssVar']) }
}

/** What the library would read to know that the sheets are there; nothing asks any more. */
const cacheMap = /\.data-ant-cssinjs-cache-path\{[^}]*\}/g

/** Widths of columns in a grid of 24, in seven sizes of window: a fifth of all rules. Forms name none. */
const gridColumns = /(?<=[{}])\.ant-col(?:-[a-z]+)?-[\w-]+\{[^{}]*\}/g

/** One of each part that `src/ui` shows. A part that is missing makes the build fail. */
function partsOf(h: typeof import('react').createElement) {
  const antd = require('antd') as typeof import('antd')
  const { DatePicker, Form, Input, Radio } = antd
  const link = h('a')
  return [
    h(antd.Button, { key: 1 }),
    h(antd.Checkbox.Group, { key: 2, options: ['a'] }),
    h(DatePicker, { key: 3 }),
    h(DatePicker.RangePicker, { key: 4 }),
    h(antd.Drawer, { key: 5 }),
    h(antd.Dropdown, { key: 6, menu: { items: [] } }, link),
    h(antd.Empty, { key: 25 }),
    h(Form, { key: 7 }, h(Form.Item)),
    h(Input, { key: 8 }),
    h(Input.Password, { key: 9 }),
    h(Input.Search, { key: 10 }),
    h(Input.TextArea, { key: 11 }),
    h(antd.InputNumber, { key: 12 }),
    h(antd.Modal, { key: 13 }),
    h(antd.Pagination, { key: 14, total: 100, showSizeChanger: true, showQuickJumper: true }),
    h(antd.Popover, { key: 15 }, link),
    h(antd.Progress, { key: 16 }),
    h(Radio.Group, { key: 17, options: ['a'] }),
    h(Radio.Button, { key: 18 }),
    h(antd.Select, { key: 19 }),
    h(antd.Switch, { key: 20 }),
    h(antd.Tabs, { key: 21, items: [{ key: 'a', label: 'a' }] }),
    h(antd.Tooltip, { key: 22, title: 'a' }, link),
    h(antd.Tree, { key: 23, treeData: [] }),
    h(antd.Upload, { key: 24 }),
  ]
}

/** The variables that differ, below another selector. */
function changed(before: string, after: string, scope: string): string {
  const known = rulesIn(before)
  return [...rulesIn(after)]
    .map(([selector, declarations]) => {
      const others = [...declarations].filter((declaration) => !known.get(selector)?.has(declaration))
      return others.length > 0 ? `${scope}${selector}{${others.join(';')}}` : ''
    })
    .join('')
}

/** The declarations of each selector; variables hold neither braces nor semicolons. */
function rulesIn(css: string): Map<string, Set<string>> {
  const rules = new Map<string, Set<string>>()
  for (const [, selector = '', body = ''] of css.matchAll(/([^{}]+)\{([^}]*)\}/g)) {
    rules.set(selector, new Set([...(rules.get(selector) ?? []), ...body.split(';').filter(Boolean)]))
  }
  return rules
}
