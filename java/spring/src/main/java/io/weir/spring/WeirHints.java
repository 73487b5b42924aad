package io.weir.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Hints for a native image: the scripts are read as resources. */
final class WeirHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.resources().registerPattern("io/weir/state/wire/lua/*");
  }
}
