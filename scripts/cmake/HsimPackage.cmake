# SPDX-License-Identifier: GPL-3.0-or-later
# Read by cpack alone: files of a package have the modes that Debian asks for, whatever the umask.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
