/** Whether the formats that others depend on stay as they are within a version. */
package io.weir.whole.formats;
