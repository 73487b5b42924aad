# Finds the JDK for a script that reads this file: sets java, javac and major. Ends the script if there is none that builds
# Weir. JAVA_HOME chooses one, otherwise the PATH.
java=java
[ -n "${JAVA_HOME:-}" ] && java=$JAVA_HOME/bin/java
javac=${java%java}javac
if ! jdk=$("$javac" -version 2>&1); then
  echo "No JDK: install one of 17 or newer, or set JAVA_HOME to it." >&2
  exit 1
fi
major=$(printf '%s' "$jdk" | sed -n 's/^javac \([0-9]*\).*/\1/p' | head -n 1)
if [ "${major:-0}" -lt 17 ]; then
  echo "This JDK is too old ($jdk): install one of 17 or newer, or set JAVA_HOME to it." >&2
  exit 1
fi
