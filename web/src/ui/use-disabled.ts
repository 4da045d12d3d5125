import ConfigProvider from 'antd/es/config-provider'

/** Whether the form around is disabled as a whole, for inputs that are not the UI library's. */
export const useDisabled = (): boolean => ConfigProvider.useConfig().componentDisabled ?? false
