import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['修改密码', 'Change password'],
  forced: ['继续使用前需要修改密码。', 'You must change your password before you continue.'],
  reasons: {
    firstSignIn: ['这是首次登录，请设置您自己的密码。', 'This is your first sign-in. Choose a password of your own.'],
    reset: ['管理员重置了密码，请设置新的密码。', 'An administrator has reset your password. Choose a new one.'],
    renamed: [
      '您的用户名已更改，请设置不含新用户名的密码。',
      'Your username has changed. Choose a password that does not contain it.',
    ],
    expired: ['密码已到期，请设置新的密码。', 'Your password has expired. Choose a new one.'],
  },
  oldPassword: ['原密码', 'Old password'],
  password: ['新密码', 'New password'],
  confirmPassword: ['确认新密码', 'Confirm new password'],
  rule: [
    '6 到 32 位，包含字母和数字，不含用户名，可用特殊字符 ~!@#$%^&*_',
    '6 to 32 characters with letters and digits, not containing your username; ~!@#$%^&*_ are allowed',
  ],
  same: ['新密码不能与原密码相同', 'The new password must differ from the old one'],
  afterwards: [
    '修改成功后将自动退出，请用新密码重新登录。',
    'You will then be logged out. Log in again with the new password.',
  ],
  changed: ['密码已修改，请用新密码重新登录', 'Password changed. Log in again with the new one'],
  show: ['显示密码', 'Show password'],
  hide: ['隐藏密码', 'Hide password'],
  capsLock: ['大写锁定已打开', 'Caps Lock is on'],
  submit: ['修改密码', 'Change password'],
  submitting: ['正在修改…', 'Changing…'],
  cancel: ['取消', 'Cancel'],
  logOut: ['退出登录', 'Log out'],
})
