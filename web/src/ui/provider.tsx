import { ConfigProvider, type ThemeConfig, theme } from 'antd'
import enUS from 'antd/locale/en_US'
import zhCN from 'antd/locale/zh_CN'
import { type ReactNode, useLayoutEffect } from 'react'
import { Notices } from './notices'
import { darkPalette, fontFamily, lightPalette, type Palette } from './tokens'
import './ui.css'

function themeOf(palette: Palette, dark: boolean): ThemeConfig {
  return {
    algorithm: dark ? theme.darkAlgorithm : theme.defaultAlgorithm,
    hashed: false,
    token: {
      colorPrimary: palette.primary,
      colorLink: palette.primary,
      colorInfo: palette.primary,
      colorSuccess: palette.good,
      colorWarning: palette.warn,
      colorError: palette.bad,
      colorText: palette.text,
      colorTextSecondary: palette.textSoft,
      colorTextTertiary: palette.textSoft,
      colorTextDescription: palette.textSoft,
      // The default placeholder is too pale to read (2.3:1).
      colorTextPlaceholder: palette.textSoft,
      colorBorder: palette.border,
      colorBgLayout: palette.page,
      colorBgContainer: palette.surface,
      colorBgElevated: palette.raised,
      fontFamily,
      fontSize: 13,
      borderRadius: 4,
      controlHeight: 30,
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.18s',
    },
    components: {
      Form: { itemMarginBottom: 20, verticalLabelPadding: '0 0 4px' },
      Button: { primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none', fontWeight: 400 },
    },
  }
}

const themes = { light: themeOf(lightPalette, false), dark: themeOf(darkPalette, true) }

/** Gives everything below it the theme and the words of the UI library, and shows the notices. */
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
