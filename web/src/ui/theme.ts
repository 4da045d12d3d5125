import type { ThemeConfig } from 'antd'
import type { Palette } from './tokens.ts'
import { fontFamily } from './tokens.ts'

/** The class that the variables of the theme hang on. A name of our own, for a build writes them into a file. */
export const themeClass = 'sky-theme'

interface Variant {
  palette: Palette
  /** How the library derives its other colours: its own function, for light or for dark. */
  algorithm: NonNullable<ThemeConfig['algorithm']>
  motion: boolean
}

/** The theme of the library. The build makes a style sheet of it (`antd-styles.ts`), the development server uses it. */
export function themeOf({ palette, algorithm, motion }: Variant): ThemeConfig {
  return {
    algorithm,
    hashed: false,
    cssVar: { key: themeClass },
    token: {
      motion,
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
      // The bright blue of the dark theme reaches 4.2:1 on a drawer; the line below says which one is chosen.
      Tabs: { itemSelectedColor: palette.text, itemHoverColor: palette.text, itemActiveColor: palette.text },
      Form: { itemMarginBottom: 20, verticalLabelPadding: '0 0 4px' },
      Button: {
        ...{ primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none', fontWeight: 400 },
        // White reaches 3.6:1 on the bright blue of the dark theme.
        ...{ primaryColor: palette.onSolid, dangerColor: palette.onSolid },
      },
    },
  }
}
