import ConfigProvider from 'antd/es/config-provider'
import theme from 'antd/es/theme'
import enUS from 'antd/locale/en_US'
import zhCN from 'antd/locale/zh_CN'
import { type ReactNode, useLayoutEffect } from 'react'
import { Notices } from './notices'
import { themeOf } from './theme'
import { darkPalette, lightPalette } from './tokens'
import './ui.css'

/** Who asks for less motion gets none from the library, which waits for the end of every motion that it begins. */
const motion = !window.matchMedia?.('(prefers-reduced-motion: reduce)').matches

/** A build brings its style sheets along (`web/antd-styles.ts`); then the icons need not write theirs. */
const zeroRuntime = import.meta.env.PROD || import.meta.env.MODE === 'test'

const themes = {
  light: { ...themeOf({ palette: lightPalette, algorithm: theme.defaultAlgorithm, motion }), zeroRuntime },
  dark: { ...themeOf({ palette: darkPalette, algorithm: theme.darkAlgorithm, motion }), zeroRuntime },
}

/** Gives everything below it the theme and the UI library's texts, and shows the notices. */
export function UiProvider(props: { language: 'zh' | 'en'; dark?: boolean; children: ReactNode }) {
  const name = props.dark ? 'dark' : 'light'
  // The attribute is what `ui.css` keys its colours on; set before paint so that nothing flashes.
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = name
  }, [name])
  return (
    <ConfigProvider
      theme={themes[name]}
      locale={props.language === 'zh' ? zhCN : enUS}
      button={{ autoInsertSpace: false }}
    >
      {props.children}
      <Notices closeLabel={props.language === 'zh' ? '关闭' : 'Close'} />
    </ConfigProvider>
  )
}
