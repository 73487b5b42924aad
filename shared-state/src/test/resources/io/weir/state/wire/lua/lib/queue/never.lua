-- In place of the long way: a script in which it is built fails.
error('the long way was built')
