import { theme as antdTheme, ConfigProvider } from 'antd'
import enUS from 'antd/locale/en_US'
import zhCN from 'antd/locale/zh_CN'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { type ReactNode, useMemo } from 'react'
import { fontFamily, monoFamily, tokensOf } from './tokens'

interface UiProviderProps {
  theme: 'light' | 'dark'
  language: 'zh' | 'en'
  children: ReactNode
}

/** Gives antd our colours, density and language. Wraps every page of the shell, and nothing on the login page. */
export function UiProvider({ theme, language, children }: UiProviderProps) {
  // dayjs has one global locale; it must be set before any child formats a date.
  dayjs.locale(language === 'zh' ? 'zh-cn' : 'en')
  const config = useMemo(() => antdConfig(theme), [theme])
  return (
    <ConfigProvider locale={language === 'zh' ? zhCN : enUS} theme={config} button={{ autoInsertSpace: false }}>
      {children}
    </ConfigProvider>
  )
}

function antdConfig(theme: 'light' | 'dark') {
  const t = tokensOf(theme)
  return {
    algorithm: theme === 'dark' ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm,
    token: {
      colorPrimary: t.primary,
      colorSuccess: t.success,
      colorWarning: t.warning,
      colorError: t.danger,
      colorInfo: t.info,
      colorLink: t.primary,
      colorTextBase: t.text,
      colorBgBase: t.surface,
      colorText: t.text,
      colorTextSecondary: t.textMuted,
      colorTextTertiary: t.textFaint,
      colorTextPlaceholder: t.textFaint,
      colorBorder: t.lineStrong,
      colorBorderSecondary: t.line,
      colorBgLayout: t.page,
      colorBgContainer: t.surface,
      colorBgElevated: t.raised,
      colorTextLightSolid: t.onPrimary,
      borderRadius: 6,
      fontFamily,
      fontFamilyCode: monoFamily,
      fontSize: 14,
      wireframe: false,
    },
    components: {
      Table: { headerBg: t.hover, headerColor: t.textMuted, cellPaddingBlockSM: 7, rowHoverBg: t.hover },
      Tooltip: { colorTextLightSolid: '#ffffff' },
    },
  }
}
