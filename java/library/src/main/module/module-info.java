/** Weir inside a Java program: {@link io.weir.library.Weir} is the class to begin with. */
module io.weir.library {
  requires transitive io.weir.core; // its answers
  requires io.weir.inmemory;
  requires io.weir.state;
  requires org.slf4j;
  requires static org.jspecify;

  // Lettuce and shared-state are automatic modules: they cannot require what they use at run time.
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.resolver;
  requires io.netty.resolver.dns;
  requires io.netty.transport;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.dataformat.yaml;

  exports io.weir.library;
}
