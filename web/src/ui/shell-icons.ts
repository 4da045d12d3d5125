export {
  EyeInvisibleOutlined as HideIcon,
  EyeOutlined as ShowIcon,
  GlobalOutlined as LanguageIcon,
  LockOutlined as PasswordIcon,
  LogoutOutlined as LogOutIcon,
  MenuFoldOutlined as FoldIcon,
  MenuUnfoldOutlined as UnfoldIcon,
  MoonOutlined as MoonIcon,
  RightOutlined as RightIcon,
  SunOutlined as SunIcon,
  UserOutlined as UserIcon,
} from '@ant-design/icons'
